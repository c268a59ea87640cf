package dev.sluice.lab.kit.client;

import java.lang.management.ManagementFactory;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

import com.sun.management.OperatingSystemMXBean;
import javax.net.ssl.SSLContext;

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
 * at all, and counted as not sent: the generator never waits. One load at a time.
 */
public final class OpenClient implements AutoCloseable {

	/** As many as fit into memory, three times four bytes each. */
	public static final int MAX_REQUESTS = 5_000_000;

	/** Time before the first request is due, so that it is not late. */
	private static final long LEAD_NANOS = 50_000_000;

	private static final OperatingSystemMXBean SYSTEM = ManagementFactory
		.getPlatformMXBean(OperatingSystemMXBean.class);

	private final Caller caller;

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

	/**
	 * @param threads number of threads to wait with, if the mode needs any
	 * @param tls certificates to trust; null for the JDK's own
	 */
	public OpenClient(CallMode mode, @Nullable Integer threads, @Nullable SSLContext tls) {
		this.caller = new Caller(mode, threads, tls);
	}

	/**
	 * Sends a load; returns when all requests are answered or given up.
	 * @param requests by number, from 0; made when due
	 */
	public Figures run(OpenLoad load, IntFunction<HttpRequest> requests) throws InterruptedException {
		return run(load, requests, (_) -> {
		});
	}

	/**
	 * Sends a load; returns when all requests are answered or given up.
	 * @param requests by number, from 0; made when due
	 * @param each receives every second at its end, on a thread of its own
	 */
	public Figures run(OpenLoad load, IntFunction<HttpRequest> requests, Consumer<Second> each)
			throws InterruptedException {
		return run(load, (number, reply) -> this.caller.call(requests.apply(number), reply), each);
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
		Thread ticker = Thread.ofPlatform().daemon().name("client-seconds").start(() -> execution.tick(start, each));
		try {
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
			while (ticker.isAlive() && execution.reported() < load.duration().toSeconds()) {
				Thread.sleep(1);
			}
			long deadline = begun + load.patience().toNanos();
			while (execution.outstanding() > 0 && System.nanoTime() - deadline < 0) {
				Thread.sleep(1);
			}
		}
		finally {
			ticker.interrupt();
			ticker.join();
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

	/** Cancels outstanding requests. */
	@Override
	public void close() {
		this.caller.close();
	}

	/** A load being sent. Thread-safe: guarded by itself. */
	private static final class Execution {

		private final Instant start;

		private final int[] lagMicros;

		private final int[] latencyMicros;

		/** As in {@link Requests}. */
		private final int[] status;

		private final Map<String, Long> failures = new TreeMap<>();

		private final List<Second> seconds = new ArrayList<>();

		private long sent;

		private long outstanding;

		private long answered;

		private long answeredMicros;

		Execution(int requests, Instant start) {
			this.start = start;
			this.lagMicros = new int[requests];
			this.latencyMicros = new int[requests];
			this.status = new int[requests];
		}

		/** Whether to send the request: not if so many are outstanding. */
		synchronized boolean begin(int number, long due, int most) {
			this.lagMicros[number] = micros(System.nanoTime() - due);
			if (this.outstanding >= most) {
				return false;
			}
			this.sent++;
			this.outstanding++;
			this.status[number] = Requests.NOT_ANSWERED;
			return true;
		}

		synchronized void end(int number, long due, int answer, @Nullable String failure) {
			int micros = micros(System.nanoTime() - due);
			this.outstanding--;
			this.latencyMicros[number] = micros;
			this.status[number] = answer;
			if (answer != Requests.NOT_ANSWERED) {
				this.answered++;
				this.answeredMicros += micros;
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

		void tick(long start, Consumer<Second> each) {
			long microsBefore = 0;
			Second last = new Second(0, 0, 0, 0, 0, 0, null, 0);
			try {
				for (int second = 1;; second++) {
					TimeUnit.NANOSECONDS.sleep(start + TimeUnit.SECONDS.toNanos(second) - System.nanoTime());
					synchronized (this) {
						long now = this.answered - last.answered();
						last = new Second(second, this.sent, this.answered, this.outstanding, this.sent - last.sent(),
								now, (now > 0) ? (this.answeredMicros - microsBefore) / 1_000.0 / now : null,
								ManagementFactory.getThreadMXBean().getThreadCount());
						microsBefore = this.answeredMicros;
					}
					each.accept(last);
					synchronized (this) {
						this.seconds.add(last);
					}
				}
			}
			catch (InterruptedException _) {
				// The load has ended, and with it this thread.
			}
		}

		synchronized Figures figures(long cpuNanos) {
			Requests requests = new Requests(this.start, this.lagMicros, this.latencyMicros.clone(),
					this.status.clone());
			int[] latencies = IntStream.range(0, requests.status().length)
				.filter((number) -> requests.status()[number] > 0)
				.map((number) -> requests.latencyMicros()[number])
				.toArray();
			Tally tally = new Tally(this.status.length, this.sent, this.status.length - this.sent, this.answered,
					this.outstanding, this.failures);
			Timing lag = Timing.of(this.lagMicros);
			return new Figures(tally, Timing.of(latencies),
					(lag != null) ? lag : new Timing(0.0, 0, null, null, null, 0),
					(this.sent > 0) ? cpuNanos / 1e6 / this.sent : null, List.copyOf(this.seconds), requests);
		}

	}

}
