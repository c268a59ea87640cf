package dev.sluice.lab.kit.client;

import java.lang.management.ManagementFactory;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.IntFunction;

import com.sun.management.OperatingSystemMXBean;
import javax.net.ssl.SSLContext;

import dev.sluice.lab.kit.statistics.Latencies;
import dev.sluice.lab.kit.result.ClientResult.Second;
import dev.sluice.lab.kit.result.ClientResult.Tally;
import dev.sluice.lab.kit.statistics.Timing;
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

	/** As many as fit into memory, twice four bytes each. */
	public static final int MAX_REQUESTS = 5_000_000;

	/** Time before the first request is due, so that it is not late. */
	private static final long LEAD_NANOS = 50_000_000;

	/** A shorter wait spins instead of sleeping. */
	private static final long SPIN_NANOS = 60_000;

	/** Longest wait for the listener to handle a second. */
	private static final long REPORT_SECONDS = 10;

	private static final int NOT_ANSWERED = -1;

	private static final OperatingSystemMXBean SYSTEM = ManagementFactory
		.getPlatformMXBean(OperatingSystemMXBean.class);

	private final Caller caller;

	/**
	 * The load to send.
	 *
	 * @param requestsPerSecond requests due per second
	 * @param duration time for which requests are sent
	 * @param patience time after that to wait for outstanding answers, which are then
	 * given up
	 * @param maxOutstanding maximum number of requests without an answer
	 */
	public record OpenLoad(double requestsPerSecond, Duration duration, Duration patience, int maxOutstanding) {

		public OpenLoad {
			if (!(requestsPerSecond > 0) || duration.isNegative() || maxOutstanding < 1) {
				throw new IllegalArgumentException("A load needs a rate, a duration and room for one request");
			}
			if (requestsPerSecond * duration.toMillis() / 1_000 > MAX_REQUESTS) {
				throw new IllegalArgumentException("A load has at most %s requests".formatted(MAX_REQUESTS));
			}
		}

		int requests() {
			return (int) Math.round(this.requestsPerSecond * this.duration.toNanos() / 1e9);
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
			List<Second> seconds) {
	}

	/**
	 * @param threads number of threads to wait with, if the mode needs any
	 */
	public OpenClient(CallMode mode, @Nullable Integer threads) {
		this(mode, threads, null);
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
	 * @param each receives every second at its end, on a thread of its own
	 */
	public Figures run(OpenLoad load, IntFunction<HttpRequest> requests, Consumer<Second> each)
			throws InterruptedException {
		long start = System.nanoTime() + LEAD_NANOS;
		Execution execution = new Execution(load.requests());
		long cpuBefore = SYSTEM.getProcessCpuTime();
		Thread ticker = Thread.ofPlatform().daemon().name("client-seconds").start(() -> execution.tick(start, each));
		try {
			double periodNanos = 1e9 / load.requestsPerSecond();
			for (int number = 0; number < execution.lagMicros.length; number++) {
				long due = start + Math.round(number * periodNanos);
				sleepUntil(due);
				execution.lagMicros[number] = micros(System.nanoTime() - due);
				if (execution.outstanding.get() >= load.maxOutstanding()) {
					execution.notSent++;
				}
				else {
					execution.send(this.caller, number, due, requests.apply(number));
				}
			}
			sleepUntil(start + load.duration().toNanos());
			execution.awaitSecond(load.duration().toSeconds());
			long deadline = start + load.duration().plus(load.patience()).toNanos();
			while (execution.outstanding.get() > 0 && System.nanoTime() - deadline < 0) {
				Thread.sleep(1);
			}
		}
		finally {
			ticker.interrupt();
			ticker.join();
		}
		return execution.figures(SYSTEM.getProcessCpuTime() - cpuBefore);
	}

	/** Sleeps and then spins, because the kernel rounds up a sleep. */
	private static void sleepUntil(long time) throws InterruptedException {
		long left = time - System.nanoTime();
		while (left > 0) {
			if (Thread.interrupted()) {
				throw new InterruptedException();
			}
			if (left > SPIN_NANOS) {
				LockSupport.parkNanos(left - SPIN_NANOS / 2);
			}
			else {
				Thread.onSpinWait();
			}
			left = time - System.nanoTime();
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

	/** A load being sent. */
	private static final class Execution {

		private final int[] lagMicros;

		private final AtomicIntegerArray latencyMicros;

		private final AtomicLong outstanding = new AtomicLong();

		private final LongAdder sent = new LongAdder();

		private final LongAdder answered = new LongAdder();

		private final LongAdder answeredMicros = new LongAdder();

		private final Map<String, LongAdder> failures = new ConcurrentHashMap<>();

		private final List<Second> seconds = new ArrayList<>();

		private final Semaphore reported = new Semaphore(0);

		private long notSent;

		Execution(int requests) {
			this.lagMicros = new int[requests];
			int[] none = new int[requests];
			Arrays.fill(none, NOT_ANSWERED);
			this.latencyMicros = new AtomicIntegerArray(none);
		}

		void send(Caller caller, int number, long due, HttpRequest request) {
			this.sent.increment();
			this.outstanding.incrementAndGet();
			caller.call(request, (isAnswered, failure) -> {
				int micros = micros(System.nanoTime() - due);
				if (isAnswered) {
					this.latencyMicros.set(number, micros);
					this.answered.increment();
					this.answeredMicros.add(micros);
				}
				if (failure != null) {
					this.failures.computeIfAbsent(failure, (_) -> new LongAdder()).increment();
				}
				this.outstanding.decrementAndGet();
			});
		}

		void tick(long start, Consumer<Second> each) {
			long sentBefore = 0;
			long answeredBefore = 0;
			long microsBefore = 0;
			try {
				for (int second = 1;; second++) {
					TimeUnit.NANOSECONDS.sleep(start + TimeUnit.SECONDS.toNanos(second) - System.nanoTime());
					long sentUntil = this.sent.sum();
					long answeredUntil = this.answered.sum();
					long microsUntil = this.answeredMicros.sum();
					long answeredNow = answeredUntil - answeredBefore;
					Second now = new Second(second, sentUntil, answeredUntil, this.outstanding.get(),
							sentUntil - sentBefore, answeredNow,
							(answeredNow > 0) ? (microsUntil - microsBefore) / 1_000.0 / answeredNow : null,
							ManagementFactory.getThreadMXBean().getThreadCount());
					this.seconds.add(now);
					each.accept(now);
					this.reported.release();
					sentBefore = sentUntil;
					answeredBefore = answeredUntil;
					microsBefore = microsUntil;
				}
			}
			catch (InterruptedException _) {
				// The load has ended, and with it this thread.
			}
		}

		/** The last second ends with the load, but is reported like the others. */
		void awaitSecond(long second) throws InterruptedException {
			if (second > 0 && !this.reported.tryAcquire((int) second, REPORT_SECONDS, TimeUnit.SECONDS)) {
				throw new IllegalStateException("The status of a second was not reported");
			}
		}

		Figures figures(long cpuNanos) {
			int[] latencies = new int[this.latencyMicros.length()];
			int count = 0;
			for (int i = 0; i < latencies.length; i++) {
				int micros = this.latencyMicros.get(i);
				if (micros != NOT_ANSWERED) {
					latencies[count++] = micros;
				}
			}
			Map<String, Long> failed = new TreeMap<>();
			this.failures.forEach((failure, times) -> failed.put(failure, times.sum()));
			Tally tally = new Tally(this.lagMicros.length, this.sent.sum(), this.notSent, this.answered.sum(),
					this.outstanding.get(), failed);
			Timing lag = Latencies.timing(this.lagMicros);
			return new Figures(tally, Latencies.timing(Arrays.copyOf(latencies, count)),
					(lag != null) ? lag : new Timing(0, 0, null, null, null, 0),
					(tally.sent() > 0) ? cpuNanos / 1e6 / tally.sent() : null, List.copyOf(this.seconds));
		}

	}

}
