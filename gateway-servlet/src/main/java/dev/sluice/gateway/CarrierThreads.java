package dev.sluice.gateway;

/**
 * The platform threads that run virtual threads: as many as reactor-netty has event
 * loops, at least four. The JVM's default is one for each core.
 * <p>
 * When more threads are ready to run than there are cores, each gets the same share of
 * them. With two threads a gateway on two cores gets a small share beside the compilers
 * of a JVM that has just started.
 */
final class CarrierThreads {

	/** Read by the JVM when the first virtual thread starts. */
	static final String PROPERTY = "jdk.virtualThreadScheduler.parallelism";

	private static final int MIN = 4;

	private CarrierThreads() {
	}

	/** Sets their number, unless the command line does. */
	static void configure() {
		if (System.getProperty(PROPERTY) == null) {
			System.setProperty(PROPERTY, Integer.toString(Math.max(MIN, Runtime.getRuntime().availableProcessors())));
		}
	}

}
