package dev.sluice.backend.model;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * Burns CPU on threads of its own, as many as there are cores, so that no event loop is
 * blocked. The requests in flight bound its queue.
 */
public final class CpuBurner implements AutoCloseable {

	private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

	private final ExecutorService threads;

	private volatile long sink;

	public CpuBurner() {
		this.threads = Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors(),
				Thread.ofPlatform().daemon().name("burner-", 0).factory());
	}

	/** Burns CPU time, then runs the callback on the same thread. */
	public void burn(long cpuMicros, Runnable onDone) {
		this.threads.execute(() -> {
			burn(cpuMicros);
			onDone.run();
		});
	}

	/** Measures CPU time: on a busy machine it takes longer, as real work does. */
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
	 * The result of the loop. It exists so that the JIT cannot remove the loop.
	 */
	long sink() {
		return this.sink;
	}

	@Override
	public void close() {
		this.threads.shutdownNow();
	}

}
