package dev.sluice.backend;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * Burns CPU where no event loop is held by it: on as many threads as there are cores. Its
 * queue is bounded by the requests that the backend has in flight.
 */
final class Burner implements AutoCloseable {

	private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

	private final ExecutorService threads;

	private volatile long sink;

	Burner() {
		this.threads = Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors(),
				Thread.ofPlatform().daemon().name("burner-", 0).factory());
	}

	/** Burns that much CPU time, then calls back on the burning thread. */
	void burn(long cpuMicros, Runnable whenBurnt) {
		this.threads.execute(() -> {
			burn(cpuMicros);
			whenBurnt.run();
		});
	}

	/** CPU time, not time: on a busy machine it takes longer, as real work does. */
	private void burn(long cpuMicros) {
		long end = THREADS.getCurrentThreadCpuTime() + TimeUnit.MICROSECONDS.toNanos(cpuMicros);
		long mixed = end;
		while (THREADS.getCurrentThreadCpuTime() < end && !Thread.currentThread().isInterrupted()) {
			for (int i = 0; i < 200; i++) {
				mixed = mixed * 0x5851f42d4c957f2dL + 0x14057b7ef767814fL;
			}
		}
		this.sink = mixed;
	}

	/**
	 * Never read for its sake: that it could be keeps the loop from being optimised away.
	 */
	long sink() {
		return this.sink;
	}

	@Override
	public void close() {
		this.threads.shutdownNow();
	}

}
