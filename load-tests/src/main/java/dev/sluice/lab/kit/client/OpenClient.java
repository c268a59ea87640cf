package dev.sluice.lab.kit.client;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

import com.sun.management.OperatingSystemMXBean;
import dev.sluice.lab.kit.cell.Timing;
import dev.sluice.lab.kit.result.ClientResult.Second;
import dev.sluice.lab.kit.result.ClientResult.Tally;
import org.jspecify.annotations.Nullable;

/**
 * An open model: requests are sent on schedule, whatever became of those before, and
 * latency counts from when a request was due. So a stall of the target shows as clients
 * see it, and a generator that lags adds to the latency instead of hiding it.
 * <p>
 * A request that is due while {@link OpenLoad#maxOutstanding} are outstanding is not sent
 * at all, and counted as not sent: the generator never waits.
 */
public final class OpenClient {

	/** As many as fit into memory, three times four bytes each. */
	public static final int MAX_REQUESTS = 5_000_000;

	/** Time before the first request is due, so that it is not late. */
	private static final long LEAD_NANOS = 50_000_000;

	private static final long SECOND_NANOS = 1_000_000_000;

	private static final OperatingSystemMXBean SYSTEM = ManagementFactory
		.getPlatformMXBean(OperatingSystemMXBean.class);

	private OpenClient() {
	}

	/**
	 * The load to send.
	 *
	 * @param steps one after another, of at most {@value #MAX_REQUESTS} requests
	 * @param patience time after that to wait for outstanding answers, which are then
	 * given up
	 * @param maxOutstanding maximum number of requests without an answer
	 */
	public record OpenLoad(List<Step> steps, Duration patience, int maxOutstanding) {

		public OpenLoad {
			steps = List.copyOf(steps);
		}

		/** At one rate. */
		public OpenLoad(double requestsPerSecond, Duration duration, Duration patience, int maxOutstanding) {
			this(List.of(new Step(requestsPerSecond, duration)), patience, maxOutstanding);
		}

		int requests() {
			return this.steps.stream().mapToInt(Step::requests).sum();
		}

		Duration duration() {
			return this.steps.stream().map(Step::duration).reduce(Duration.ZERO, Duration::plus);
		}

	}

	/**
	 * A constant rate.
	 *
	 * @param requestsPerSecond requests due per second
	 * @param duration time for which requests are sent
	 */
	public record Step(double requestsPerSecond, Duration duration) {

		/** The number of requests due in it. */
		public int requests() {
			return (int) Math.round(this.requestsPerSecond * this.duration.toNanos() / 1e9);
		}

	}

	/** Sends requests; gives each reply on any thread, once. */
	@FunctionalInterface
	public interface Sender {

		/**
		 * Sends a request, and returns at once.
		 * @param number from 0
		 */
		void send(int number, Reply reply);

	}

	/** Receives the outcome of a request. */
	@FunctionalInterface
	public interface Reply {

		/**
		 * @param status HTTP status, or {@link Requests#NOT_ANSWERED}
		 * @param failure what went wrong; null if nothing did
		 */
		void take(int status, @Nullable String failure);

	}

	/**
	 * What became of each request, by number.
	 *
	 * @param start when the first was due
	 * @param lagMicros how late each was sent, or found not to be sent
	 * @param latencyMicros from when it was due to its answer or its failure
	 * @param status of the answer, or {@link #NOT_SENT} or {@link #NOT_ANSWERED}
	 */
	@SuppressWarnings("ArrayRecordComponent") // Millions of figures, never compared.
	public record Requests(Instant start, int[] lagMicros, int[] latencyMicros, int[] status) {

		public static final int NOT_SENT = 0;

		public static final int NOT_ANSWERED = -1;

		/**
		 * The latencies, in microseconds, of the requests in a range of numbers that have
		 * such a status.
		 */
		public int[] latencies(int from, int to, IntPredicate such) {
			return IntStream.range(from, to)
				.filter((number) -> such.test(this.status[number]))
				.map((number) -> this.latencyMicros[number])
				.toArray();
		}

		/** What it is now, while answers still come in. */
		private Requests copy() {
			return new Requests(this.start, this.lagMicros, this.latencyMicros.clone(), this.status.clone());
		}

	}

	/**
	 * The results of a load.
	 *
	 * @param latency latency of the answered requests from when they were due, failed
	 * ones included; null if there are none
	 * @param lag time between due and sent
	 * @param cpuMillisPerRequest CPU time of this process; null if nothing was sent
	 */
	public record Figures(Tally tally, @Nullable Timing latency, Timing lag, @Nullable Double cpuMillisPerRequest,
			List<Second> seconds, Requests requests) {
	}

	/** Sends a load of which nobody watches the seconds. */
	public static Figures run(OpenLoad load, Sender sender) throws InterruptedException {
		return run(load, sender, (_) -> {
		});
	}

	/**
	 * Sends a load; returns when all requests are answered or given up.
	 * @param sender asked for each request when it is due
	 * @param each receives every second at its end, on a thread of its own
	 */
	public static Figures run(OpenLoad load, Sender sender, Consumer<Second> each) throws InterruptedException {
		long start = System.nanoTime() + LEAD_NANOS;
		Execution execution = new Execution(load.requests(), Instant.now().plusNanos(LEAD_NANOS));
		long cpuBefore = SYSTEM.getProcessCpuTime();
		try (ScheduledExecutorService ticker = Executors
			.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("client-seconds").factory())) {
			Future<?> ticks = ticker.scheduleAtFixedRate(() -> each.accept(execution.second()),
					start + SECOND_NANOS - System.nanoTime(), SECOND_NANOS, TimeUnit.NANOSECONDS);
			int number = 0;
			long begun = start;
			for (Step step : load.steps()) {
				double periodNanos = 1e9 / step.requestsPerSecond();
				for (int i = 0; i < step.requests(); i++) {
					long due = begun + Math.round(i * periodNanos);
					sleepUntil(due);
					if (execution.begin(number, due, load.maxOutstanding())) {
						int sent = number;
						sender.send(sent, (status, failure) -> execution.end(sent, due, status, failure));
					}
					number++;
				}
				begun += step.duration().toNanos();
				sleepUntil(begun);
			}
			// The last second ends with the load, but is reported like the others.
			while (!ticks.isDone() && execution.reported() < load.duration().toSeconds()) {
				Thread.sleep(1);
			}
			long deadline = begun + load.patience().toNanos();
			while (execution.outstanding() > 0 && System.nanoTime() - deadline < 0) {
				Thread.sleep(1);
			}
		}
		return execution.figures(SYSTEM.getProcessCpuTime() - cpuBefore);
	}

	/**
	 * Sleeps. The kernel rounds that up by some 60 µs, which is part of the lag; to spin
	 * instead would take CPU from a target on this machine.
	 */
	private static void sleepUntil(long time) throws InterruptedException {
		for (long left = time - System.nanoTime(); left > 0; left = time - System.nanoTime()) {
			if (Thread.interrupted()) {
				throw new InterruptedException();
			}
			LockSupport.parkNanos(left);
		}
	}

	private static int micros(long nanos) {
		return (int) Math.min(TimeUnit.NANOSECONDS.toMicros(nanos), Integer.MAX_VALUE);
	}

	/** A load being sent. Thread-safe: guarded by itself. */
	private static final class Execution {

		private final Requests requests;

		private final Map<String, Long> failures = new TreeMap<>();

		private final List<Second> seconds = new ArrayList<>();

		private long sent;

		private long outstanding;

		private long answered;

		/** Latencies of the answers since the last second ended. */
		private long answeredNowMicros;

		Execution(int requests, Instant start) {
			this.requests = new Requests(start, new int[requests], new int[requests], new int[requests]);
		}

		/** Whether to send the request: not if so many are outstanding. */
		synchronized boolean begin(int number, long due, int most) {
			this.requests.lagMicros()[number] = micros(System.nanoTime() - due);
			if (this.outstanding >= most) {
				return false;
			}
			this.sent++;
			this.outstanding++;
			this.requests.status()[number] = Requests.NOT_ANSWERED;
			return true;
		}

		synchronized void end(int number, long due, int answer, @Nullable String failure) {
			int micros = micros(System.nanoTime() - due);
			this.outstanding--;
			this.requests.latencyMicros()[number] = micros;
			this.requests.status()[number] = answer;
			if (answer != Requests.NOT_ANSWERED) {
				this.answered++;
				this.answeredNowMicros += micros;
			}
			if (failure != null) {
				this.failures.merge(failure, 1L, Long::sum);
			}
		}

		synchronized long outstanding() {
			return this.outstanding;
		}

		synchronized int reported() {
			return this.seconds.size();
		}

		/** The second that has just ended. */
		synchronized Second second() {
			Second last = this.seconds.isEmpty() ? new Second(0, 0, 0, 0, 0, 0, null, 0) : this.seconds.getLast();
			long now = this.answered - last.answered();
			this.seconds.add(new Second(last.second() + 1, this.sent, this.answered, this.outstanding,
					this.sent - last.sent(), now, (now > 0) ? this.answeredNowMicros / 1_000.0 / now : null,
					ManagementFactory.getThreadMXBean().getThreadCount()));
			this.answeredNowMicros = 0;
			return this.seconds.getLast();
		}

		synchronized Figures figures(long cpuNanos) {
			Requests ended = this.requests.copy();
			int due = ended.status().length;
			Tally tally = new Tally(due, this.sent, due - this.sent, this.answered, this.outstanding, this.failures);
			Timing lag = Timing.of(ended.lagMicros());
			return new Figures(tally, Timing.of(ended.latencies(0, due, (status) -> status > 0)),
					(lag != null) ? lag : new Timing(0.0, 0, null, null, null, 0),
					(this.sent > 0) ? cpuNanos / 1e6 / this.sent : null, List.copyOf(this.seconds), ended);
		}

	}

}
