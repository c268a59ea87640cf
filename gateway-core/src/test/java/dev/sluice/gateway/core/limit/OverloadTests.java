package dev.sluice.gateway.core.limit;

import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;

import dev.sluice.gateway.core.problem.ProblemException;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A crowd after a pause of two seconds: 3,000 orders a second over 8,000 connections. In
 * this machine, as in those that were measured, requests in progress make each other
 * dearer (memory, caches, the collector), so that it takes 3,600 a second while 200 are
 * in progress, and 1,000 while 2,000 are. Tasks run first come, first served, on two
 * cores. The product's own {@link RequestLimit} decides.
 */
class OverloadTests {

	private static final double RATE = 3_000;

	private static final int CONNECTIONS = 8_000;

	private static final double ORDER = 0.000_4;

	private static final double REFUSAL = 0.000_05;

	private static final double KAFKA = 0.005;

	private static final double PAUSE_ENDS = 2;

	private static final double CORES = 2;

	private static final double PROBE = 0.1;

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final RequestLimit limit = RequestLimitTests.limit(2_000, Duration.ofSeconds(1), Duration.ZERO,
			this.meters);

	private final PriorityQueue<Task> waiting = new PriorityQueue<>(Comparator.comparingDouble(Task::ready));

	private final int[] accepted = new int[15];

	private int inProgress;

	private int connected;

	@Test
	void acceptsEverythingWithinFiveSecondsIfPlacesFollowTheDelay() {
		run(true);

		for (int second = (int) PAUSE_ENDS + 5; second < this.accepted.length; second++) {
			assertThat(this.accepted[second]).as("in second %s", second).isGreaterThan((int) (0.95 * RATE));
		}
	}

	@Test
	void doesNotRecoverIfTheirNumberIsConstant() {
		run(false);

		assertThat(this.accepted[this.accepted.length - 1]).isLessThan((int) (0.5 * RATE));
	}

	private void run(boolean adapts) {
		double now = PAUSE_ENDS;
		double probeSince = 0;
		double nextLook = PROBE;
		int arrived = 0;
		this.waiting.add(new Task(0, Kind.PROBE, null));
		while (now < this.accepted.length) {
			for (; arrived / RATE <= now; arrived++) {
				if (this.connected < CONNECTIONS) {
					this.connected++;
					this.waiting.add(new Task(arrived / RATE, Kind.ARRIVAL, null));
				}
			}
			for (; nextLook <= now; nextLook += PROBE) {
				if (adapts) {
					this.limit.adapt(Duration.ofNanos((long) (Math.max(0, nextLook - probeSince) * 1e9)));
				}
			}
			Task task = this.waiting.peek();
			if (task == null || task.ready() > now) {
				now = Math.min((task != null) ? task.ready() : nextLook, Math.min(nextLook, arrived / RATE));
				continue;
			}
			this.waiting.remove();
			if (task.kind() == Kind.PROBE) {
				probeSince = now + PROBE;
				this.waiting.add(new Task(probeSince, Kind.PROBE, null));
			}
			now += cost(task, now) / CORES;
		}
	}

	/** Runs a task and returns its cost, in seconds of a core. */
	private double cost(Task task, double now) {
		double half = ORDER / 2 * (1 + this.inProgress / 500.0);
		return switch (task.kind()) {
			case PROBE -> 0;
			case ARRIVAL -> {
				RequestLimit.Place place = this.limit.arrive();
				try {
					place.take();
				}
				catch (ProblemException _) {
					place.close();
					this.connected--;
					yield REFUSAL;
				}
				this.inProgress++;
				this.waiting.add(new Task(now + KAFKA, Kind.ACKNOWLEDGED, place));
				yield half;
			}
			case ACKNOWLEDGED -> {
				if (task.place() != null) {
					task.place().close();
				}
				this.inProgress--;
				this.connected--;
				this.accepted[(int) now]++;
				yield half;
			}
		};
	}

	private enum Kind {

		PROBE, ARRIVAL, ACKNOWLEDGED

	}

	private record Task(double ready, Kind kind, RequestLimit.@Nullable Place place) {
	}

}
