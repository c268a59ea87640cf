package dev.sluice.lab.kit.run;

import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * Shows the progress of a run: on a terminal in one line that changes, elsewhere in a
 * line for each step. Thread-safe.
 */
public final class Progress {

	/** Erases the line and stays on it. */
	private static final String ERASE = "\r\033[2K";

	private static final int WIDTH = 100;

	/**
	 * Without a terminal, a line is written whenever this many per cent more are done.
	 */
	private static final int PERCENT_STEP = 10;

	/** Without a terminal, a line is written at least this often. */
	private static final Duration SILENCE = Duration.ofSeconds(15);

	private final PrintStream out;

	private final boolean live;

	private final Instant startedAt;

	private final InstantSource clock;

	private final int width;

	/** When the first of several steps was about to begin. */
	private @Nullable Instant firstBegan;

	/** When the last line that stays was written. */
	private Instant lastLine;

	private int reportedPercent = -PERCENT_STEP;

	private boolean lineOpen;

	/**
	 * @param out where to write
	 * @param live whether it is a terminal
	 */
	public Progress(PrintStream out, boolean live, Instant startedAt) {
		this(out, live, startedAt, InstantSource.system(), WIDTH);
	}

	Progress(PrintStream out, boolean live, Instant startedAt, InstantSource clock, int width) {
		this.out = out;
		this.live = live;
		this.startedAt = startedAt;
		this.lastLine = startedAt;
		this.clock = clock;
		this.width = width;
	}

	/** Standard error, so that standard output has nothing but results. */
	public static Progress toStandardError() {
		boolean live = System.console() != null && System.console().isTerminal() && System.getenv("CI") == null;
		return new Progress(System.err, live, Instant.now(), InstantSource.system(), width(System.getenv("COLUMNS")));
	}

	/** The terminal's width, as the script {@code lab} passes it. */
	static int width(@Nullable String columns) {
		return (columns != null && columns.matches("[1-9]\\d{0,3}")) ? Math.min(WIDTH, Integer.parseInt(columns))
				: WIDTH;
	}

	/**
	 * Reports that one of several steps of similar length has begun: the progress of all,
	 * and the time left if the others take as long as those before. On a terminal each
	 * line replaces the one before; elsewhere a line is written every
	 * {@value #PERCENT_STEP} per cent.
	 * @param done number of steps done
	 * @param all number of all steps
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
		String line = "%s %%%s · %s".formatted(percent, left, text);
		if (this.live) {
			now(line);
		}
		else if (percent < this.reportedPercent || percent / PERCENT_STEP > this.reportedPercent / PERCENT_STEP
				|| isSilent()) {
			this.reportedPercent = percent;
			step(line);
		}
	}

	private static String rounded(Duration duration) {
		return (duration.toSeconds() < 90) ? duration.toSeconds() + " s" : (duration.toSeconds() + 30) / 60 + " min";
	}

	/** Reports that a step has begun or ended, in a line that stays. */
	public synchronized void step(String text) {
		endLine();
		this.lastLine = this.clock.instant();
		this.out.println(stamped(text));
		this.out.flush();
	}

	/** Reports the current position, only on a terminal; the next line replaces it. */
	public synchronized void now(String text) {
		if (this.live) {
			String line = stamped(text);
			this.out.print(ERASE + line.substring(0, Math.min(line.length(), this.width)));
			this.out.flush();
			this.lineOpen = true;
		}
	}

	/**
	 * Reports how far a long step is: on a terminal in the line that changes, elsewhere
	 * in a line now and then.
	 */
	public synchronized void during(String text) {
		if (this.live) {
			now(text);
		}
		else if (isSilent()) {
			step(text);
		}
	}

	private boolean isSilent() {
		return Duration.between(this.lastLine, this.clock.instant()).compareTo(SILENCE) >= 0;
	}

	/** Erases the live line. */
	public synchronized void endLine() {
		if (this.lineOpen) {
			this.out.print(ERASE);
			this.out.flush();
			this.lineOpen = false;
		}
	}

	private String stamped(String text) {
		Duration elapsed = Duration.between(this.startedAt, this.clock.instant());
		return String.format(Locale.ROOT, "%02d:%02d  %s", elapsed.toMinutes(), elapsed.toSecondsPart(), text);
	}

}
