package dev.sluice.lab.kit.run;

import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * Shows the progress of a run in lines of text, each with the time since its start.
 * Thread-safe.
 */
public final class Progress {

	/** During a long step a line is written this often. */
	private static final Duration SILENCE = Duration.ofSeconds(15);

	private final PrintStream out;

	private final InstantSource clock;

	private final Instant startedAt;

	/** When the first of several steps was about to begin. */
	private @Nullable Instant firstBegan;

	/** When the last line was written. */
	private Instant lastLine;

	/** Begins now. */
	public Progress(PrintStream out) {
		this(out, InstantSource.system());
	}

	Progress(PrintStream out, InstantSource clock) {
		this.out = out;
		this.clock = clock;
		this.startedAt = clock.instant();
		this.lastLine = this.startedAt;
	}

	/**
	 * Reports that one of several steps of similar length has begun, and the time left if
	 * the others take as long as those before.
	 * @param done number of steps done
	 * @param all number of all steps
	 */
	public synchronized void of(int done, int all, String text) {
		Instant now = this.clock.instant();
		if (this.firstBegan == null) {
			this.firstBegan = now;
		}
		step((done == 0) ? text : "%s, about %s left".formatted(text,
				rounded(Duration.between(this.firstBegan, now).dividedBy(done).multipliedBy(all - done))));
	}

	private static String rounded(Duration duration) {
		return (duration.toSeconds() < 90) ? duration.toSeconds() + " s" : (duration.toSeconds() + 30) / 60 + " min";
	}

	/** Reports that a step has begun or ended. */
	public synchronized void step(String text) {
		this.lastLine = this.clock.instant();
		Duration elapsed = Duration.between(this.startedAt, this.lastLine);
		this.out
			.println(String.format(Locale.ROOT, "%02d:%02d  %s", elapsed.toMinutes(), elapsed.toSecondsPart(), text));
		this.out.flush();
	}

	/** Reports how far a long step is, in a line now and then. */
	public synchronized void during(String text) {
		if (Duration.between(this.lastLine, this.clock.instant()).compareTo(SILENCE) >= 0) {
			step(text);
		}
	}

}
