package dev.sluice.lab.kit.run;

import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

import org.jspecify.annotations.Nullable;

/**
 * Tells how far a run is: one line that changes, on a terminal; a line for each step,
 * elsewhere. Thread-safe.
 */
public final class Progress {

	/** Erases the line and stays on it. */
	private static final String ERASE = "\r\033[2K";

	private static final int WIDTH = 100;

	/** Elsewhere than on a terminal, a line for each so many per cent. */
	private static final int PERCENT_STEP = 10;

	private final PrintStream out;

	private final boolean live;

	private final Instant startedAt;

	private final InstantSource clock;

	private final int width;

	/** When the first of several things was about to begin. */
	private @Nullable Instant firstBegan;

	private int toldPercent = -PERCENT_STEP;

	private boolean lineOpen;

	/**
	 * @param out where to
	 * @param live whether it is a terminal
	 */
	public Progress(PrintStream out, boolean live, Instant startedAt) {
		this(out, live, startedAt, InstantSource.system(), WIDTH);
	}

	Progress(PrintStream out, boolean live, Instant startedAt, InstantSource clock, int width) {
		this.out = out;
		this.live = live;
		this.startedAt = startedAt;
		this.clock = clock;
		this.width = width;
	}

	/** Standard error, so that standard output has nothing but results. */
	public static Progress toStandardError() {
		boolean live = System.console() != null && System.console().isTerminal() && System.getenv("CI") == null;
		return new Progress(System.err, live, Instant.now(), InstantSource.system(), width(System.getenv("COLUMNS")));
	}

	/** The terminal's, as the script {@code lab} says it. */
	static int width(@Nullable String columns) {
		return (columns != null && columns.matches("[1-9]\\d{0,3}")) ? Math.min(WIDTH, Integer.parseInt(columns))
				: WIDTH;
	}

	/**
	 * One of several things that take about as long has begun: how far all of them are,
	 * and the time that is left if the others take as long as those before. On a terminal
	 * each replaces the one before; elsewhere a line is written every
	 * {@value #PERCENT_STEP} per cent.
	 * @param done how many are done
	 * @param all how many there are
	 */
	public synchronized void of(int done, int all, String text) {
		Instant now = this.clock.instant();
		if (this.firstBegan == null) {
			this.firstBegan = now;
		}
		int percent = 100 * done / all;
		String left = "";
		if (done > 0) {
			Duration each = Duration.between(this.firstBegan, now).dividedBy(done);
			left = ", about %s left".formatted(rounded(each.multipliedBy(all - done)));
		}
		String line = "%d %%%s · %s".formatted(percent, left, text);
		if (this.live) {
			now(line);
		}
		else if (percent < this.toldPercent || percent / PERCENT_STEP > this.toldPercent / PERCENT_STEP) {
			this.toldPercent = percent;
			step(line);
		}
	}

	private static String rounded(Duration duration) {
		return (duration.toSeconds() < 90) ? duration.toSeconds() + " s" : (duration.toSeconds() + 30) / 60 + " min";
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
			this.out.print(ERASE + line.substring(0, Math.min(line.length(), this.width)));
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
		Duration elapsed = Duration.between(this.startedAt, this.clock.instant());
		return "%02d:%02d  %s".formatted(elapsed.toMinutes(), elapsed.toSecondsPart(), text);
	}

}
