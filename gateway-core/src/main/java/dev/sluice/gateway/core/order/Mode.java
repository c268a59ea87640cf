package dev.sluice.gateway.core.order;

import java.util.Locale;

/** The two modes of an order. The lower-case name is the metric tag. */
public enum Mode {

	/** Delivered to the backend while the client waits: 201. */
	SYNC,

	/** Made durable in Kafka: 202. */
	QUEUED;

	private final String tag = name().toLowerCase(Locale.ROOT);

	public String tag() {
		return this.tag;
	}

}
