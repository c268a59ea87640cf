package dev.sluice.lab.compare.figures;

/**
 * A treatment of the experiment: the base, in which nothing limits the rate, or what
 * differs from it, at a level that fits the reference's figures or is the worst.
 */
public enum Setting {

	BASE("base"),

	/**
	 * Three threads: as many as the reference's 51 orders per second keep busy, at 50 ms
	 * each.
	 */
	BACKEND_THREADS("backend 3 threads"),

	/** Of 1,000: as many as orders in flight, so that none waits for a thread. */
	GATEWAY_THREADS("gateway 14 threads"),

	/**
	 * With 160 MiB, the gateway runs out of memory with 1,000 requests in flight before
	 * its collector slows it.
	 */
	HEAP("192 MiB"),

	COLLECTOR("Serial"),

	/** Three tries: the default of the reference's resilience handler. */
	RETRIES("gateway tries 3 times 10 s"),

	/** From client to gateway, and from gateway to backend. */
	CONNECTIONS("new connections"),

	/**
	 * All but the gateway's threads: 14 would keep the others' load away from gateway and
	 * backend, and the reference's gateway does not block its threads.
	 */
	ALL("all together");

	private final String label;

	Setting(String label) {
		this.label = label;
	}

	/** The change in a few words: the variant of its cells, and part of file names. */
	public String label() {
		return this.label;
	}

	/** Whether it changes all that the other one does. */
	public boolean has(Setting other) {
		return this == other || other == BASE || (this == ALL && other != GATEWAY_THREADS);
	}

	/** Whether it differs from the base at most in heap and collector. */
	public boolean concernsMemoryAlone() {
		return this == BASE || this == HEAP || this == COLLECTOR;
	}

}
