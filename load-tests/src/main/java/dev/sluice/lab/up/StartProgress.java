package dev.sluice.lab.up;

import java.io.Console;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.Callable;

/**
 * Shows the progress of a start: a line for each step that is ready, and on a terminal a
 * live last line with the pending steps. Thread-safe.
 */
final class StartProgress implements AutoCloseable {

	private static final Duration REFRESH_INTERVAL = Duration.ofMillis(200);

	private static final String CLEAR_LINE = "\r\033[2K";

	private final PrintWriter out;

	private final long start = System.nanoTime();

	private final Set<String> awaited = new LinkedHashSet<>();

	private final boolean terminal;

	private final Thread refresher;

	StartProgress(PrintWriter out) {
		this.out = out;
		Console console = System.console();
		this.terminal = console != null && console.isTerminal();
		this.refresher = Thread.ofVirtual().unstarted(this::refresh);
		if (this.terminal) {
			this.refresher.start();
		}
	}

	/** Wraps a step so that its progress is shown. */
	Callable<Object> of(String name, Callable<?> step) {
		synchronized (this) {
			this.awaited.add(name);
		}
		return () -> {
			Object result = step.call();
			ready(name);
			return result;
		};
	}

	Duration elapsed() {
		return Duration.ofNanos(System.nanoTime() - this.start);
	}

	private synchronized void ready(String name) {
		this.awaited.remove(name);
		this.out.printf("%s%6.1f s  %s is ready%n", this.terminal ? CLEAR_LINE : "", seconds(), name);
		showAwaited();
		this.out.flush();
	}

	private void refresh() {
		try {
			while (true) {
				Thread.sleep(REFRESH_INTERVAL);
				synchronized (this) {
					showAwaited();
					this.out.flush();
				}
			}
		}
		catch (InterruptedException _) {
			Thread.currentThread().interrupt();
		}
	}

	private void showAwaited() {
		if (this.terminal && !this.awaited.isEmpty()) {
			this.out.printf("%s%6.1f s  starting %s", CLEAR_LINE, seconds(), String.join(", ", this.awaited));
		}
	}

	private double seconds() {
		return elapsed().toMillis() / 1000.0;
	}

	@Override
	public void close() {
		this.refresher.interrupt();
		synchronized (this) {
			this.awaited.clear();
			if (this.terminal) {
				this.out.print(CLEAR_LINE);
				this.out.flush();
			}
		}
	}

}
