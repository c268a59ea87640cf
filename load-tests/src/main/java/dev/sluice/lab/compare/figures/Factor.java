package dev.sluice.lab.compare.figures;

/**
 * A factor with two levels: that of the base, where nothing limits the rate, and one that
 * fits the reference's figures or is the worst.
 */
public enum Factor {

	/**
	 * Three threads: as many as the reference's 51 orders per second keep busy, at 50 ms
	 * each.
	 */
	BACKEND_THREADS("backend's threads", "no limit", "backend 3 threads"),

	/** 1,000 threads: as many as orders in flight, so that none waits for a thread. */
	GATEWAY_THREADS("gateway's threads", "1,000", "gateway 14 threads"),

	/**
	 * With 160 MiB, the gateway runs out of memory with 1,000 requests in flight before
	 * its collector slows it.
	 */
	HEAP("gateway's heap", "1,024 MiB", "192 MiB"),

	COLLECTOR("gateway's collector", "G1", "Serial"),

	/** Three tries: the default of the reference's resilience handler. */
	RETRIES("gateway's retries", "waits 60 s, once", "gateway tries 3 times 10 s"),

	/** From client to gateway, and from gateway to backend. */
	CONNECTIONS("connections", "kept", "new connections");

	private final String label;

	private final String base;

	private final String change;

	Factor(String label, String base, String change) {
		this.label = label;
		this.base = base;
		this.change = change;
	}

	public String label() {
		return this.label;
	}

	/** The level of the base. */
	public String base() {
		return this.base;
	}

	/** The change from the base in a few words; part of file names. */
	public String change() {
		return this.change;
	}

}
