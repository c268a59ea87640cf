package dev.sluice.lab.kit.jvm;

import java.time.Instant;
import java.util.List;

import dev.sluice.lab.kit.jvm.GcLog.LoggedPause;
import dev.sluice.lab.kit.jvm.JfrRecording.Pause;

/**
 * Whether a JVM's flight recorder and its GC log report the same pauses. Only the part of
 * the log between the recorder's first event and its last is compared, because a JVM may
 * collect before and after it records. The recorder reports a concurrent collection when
 * it ends.
 *
 * @param recorded pauses in the recording
 * @param logged pauses in the log
 * @param recordedMillis their sum in the recording, in milliseconds
 * @param loggedMillis their sum in the log, in milliseconds
 */
public record GcCheck(int recorded, int logged, double recordedMillis, double loggedMillis) {

	/** Tolerance, as a share of the log's figure. */
	private static final double TOLERANCE = 0.01;

	/**
	 * Tolerance for each pause: the log rounds to microseconds, and ZGC's pauses are
	 * short.
	 */
	private static final double ROUNDING_MILLIS = 0.0005;

	public static GcCheck of(JfrRecording recording, GcLog log) {
		Instant start = recording.start();
		Instant end = recording.end();
		List<Pause> pauses = log.pauses()
			.stream()
			// The log has whole milliseconds.
			.filter((logged) -> !logged.reportedAt().plus(logged.pause().duration()).plusMillis(1).isBefore(start)
					&& !logged.reportedAt().isAfter(end))
			.map(LoggedPause::pause)
			.toList();
		return new GcCheck(recording.pauses().size(), pauses.size(), sum(recording.pauses()), sum(pauses));
	}

	/** The sum of both: of several JVMs, or of several runs of one. */
	public GcCheck plus(GcCheck other) {
		return new GcCheck(this.recorded + other.recorded, this.logged + other.logged,
				this.recordedMillis + other.recordedMillis, this.loggedMillis + other.loggedMillis);
	}

	/** Whether number and sum agree within 1 %, apart from the log's rounding. */
	public boolean holds() {
		return Math.abs(this.recorded - this.logged) <= TOLERANCE * this.logged
				&& Math.abs(this.recordedMillis - this.loggedMillis) <= TOLERANCE * this.loggedMillis
						+ ROUNDING_MILLIS * this.logged;
	}

	private static double sum(List<Pause> pauses) {
		return pauses.stream().mapToDouble(Pause::millis).sum();
	}

}
