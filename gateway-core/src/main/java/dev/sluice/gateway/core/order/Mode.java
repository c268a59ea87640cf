package dev.sluice.gateway.core.order;

/** The two modes of an order. The lower-case name is the metric tag. */
public enum Mode {

	/** Delivered to the backend while the client waits: 201. */
	SYNC("sync"),

	/** Made durable in Kafka: 202. */
	QUEUED("queued");

	private final String tag;

	Mode(String tag) {
		this.tag = tag;
	}

	public String tag() {
		return this.tag;
	}

}
