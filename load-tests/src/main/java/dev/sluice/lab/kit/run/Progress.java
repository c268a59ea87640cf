package dev.sluice.lab.kit.run;

import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;

/**
 * Tells how far a run is: one line that changes, on a terminal; a line for each step,
 * elsewhere. Thread-safe.
 */
public final class Progress {

	/** Erases the line and stays on it. */
	private static final String ERASE = "\r\033[2K";

	private static final int WIDTH = 100;

	private final PrintStream out;

	private final boolean live;

	private final Instant startedAt;

	private boolean lineOpen;

	/**
	 * @param out where to
	 * @param live whether it is a terminal
	 */
	public Progress(PrintStream out, boolean live, Instant startedAt) {
		this.out = out;
		this.live = live;
		this.startedAt = startedAt;
	}

	/** Standard error, so that standard output has nothing but results. */
	public static Progress toStandardError() {
		boolean live = System.console() != null && System.console().isTerminal() && System.getenv("CI") == null;
		return new Progress(System.err, live, Instant.now());
	}

	/** A step has begun or ended: stays to be read. */
	public synchronized void step(String text) {
		endLine();
		this.out.println(stamped(text));
		this.out.flush();
	}

	/** Where it is just now: replaced by the next; not shown unless on a terminal. */
	public synchronized void now(String text) {
		if (this.live) {
			String line = stamped(text);
			this.out.print(ERASE + line.substring(0, Math.min(line.length(), WIDTH)));
			this.out.flush();
			this.lineOpen = true;
		}
	}

	/** No more: the live line goes. */
	public synchronized void endLine() {
		if (this.lineOpen) {
			this.out.print(ERASE);
			this.out.flush();
			this.lineOpen = false;
		}
	}

	private String stamped(String text) {
		Duration elapsed = Duration.between(this.startedAt, Instant.now());
		return "%02d:%02d  %s".formatted(elapsed.toMinutes(), elapsed.toSecondsPart(), text);
	}

}
