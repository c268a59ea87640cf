package dev.sluice.lab.proof.requests;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.sluice.lab.kit.result.ProofResult.Check;
import dev.sluice.lab.kit.stack.LabException;
import dev.sluice.lab.kit.stack.RawConnection.Reply;
import dev.sluice.lab.kit.stack.RawConnection;
import dev.sluice.lab.kit.stack.Service;
import dev.sluice.lab.kit.stack.Stack;
import dev.sluice.lab.proof.claim.Proof;
import dev.sluice.lab.proof.claim.ServiceGauge;
import dev.sluice.lab.proof.claim.TestBed;
import dev.sluice.lab.proof.requests.BadRequests.Kind;
import dev.sluice.lab.proof.requests.BadRequests.Request;
import org.jspecify.annotations.Nullable;

/**
 * Sends a corpus of bad requests to each gateway, over sockets, while many idle
 * connections are open. Each request with a wrong answer is kept as a file.
 */
public final class InputProof implements Proof {

	/**
	 * Least number of requests before the first sample of a gateway's heap and threads.
	 */
	private static final int WARM_UP = 500;

	/** Maximum number at once of requests that can be answered immediately. */
	private static final int QUICK_AT_ONCE = 48;

	/** Maximum number at once of requests that keep their connection for seconds. */
	private static final int SLOW_AT_ONCE = 300;

	/** The deadline of a sync order plus some time for the client. */
	private static final long ANSWER_MILLIS = 12_000;

	/** Time within which a gateway must give up a stalled request. */
	private static final long STALLED_MILLIS = 35_000;

	/** Time, including sending, after which an exchange counts as hanging. */
	private static final long EXCHANGE_MILLIS = 60_000;

	/** Time for a good request to be placed while Kafka or PostgreSQL fails. */
	private static final Duration PATIENCE = Duration.ofSeconds(45);

	private static final int SMALL_WINDOW_BYTES = 2_048;

	private static final int KEPT = 50;

	private static final double HEAP_GROWTH_MIB = 24;

	private static final double THREAD_GROWTH = 8;

	private static final String REFUSED = "400";

	private static final int NOT_IMPLEMENTED = 501;

	private static final int VERSION_NOT_SUPPORTED = 505;

	@Override
	public String name() {
		return "input";
	}

	@Override
	public String question() {
		return "Can bad requests make a gateway fail, hang or grow?";
	}

	@Override
	public Evidence run(TestBed testBed) throws IOException, InterruptedException {
		int requests = testBed.size(100_000, 5_000, 400);
		int idle = testBed.size(2_000, 200, 20);
		testBed.startAll();
		Map<Service, Outcome> outcomes = new ConcurrentHashMap<>();
		Stack.inParallel(testBed.gateways()
			.stream()
			.<Callable<?>>map((gateway) -> () -> outcomes.put(gateway, prove(testBed, gateway, requests, idle)))
			.toList());
		Map<String, String> setting = new TreeMap<>(
				Map.of("requests", "%,d to each gateway".formatted(requests), "idle connections",
						"%,d to each gateway meanwhile".formatted(idle), "seed", Long.toString(testBed.seed()),
						"a stalled request", "must be given up within %d s".formatted(STALLED_MILLIS / 1_000)));
		List<Check> checks = new ArrayList<>();
		for (Service gateway : testBed.gateways()) {
			Outcome outcome = Objects.requireNonNull(outcomes.get(gateway));
			setting.put(gateway.name() + ", answers", outcome.answers());
			checks.addAll(outcome.checks());
		}
		return new Evidence(setting, checks, null);
	}

	private static Outcome prove(TestBed testBed, Service gateway, int requests, int idle)
			throws IOException, InterruptedException {
		ServiceGauge gauge = new ServiceGauge(testBed.client(), gateway);
		testBed.step("%s: good and bad requests first, so that pools and caches are full".formatted(gateway.name()));
		BadRequests others = new BadRequests(testBed.seed() + 1, gateway.uri().getAuthority());
		send(testBed, gateway,
				IntStream.range(0, Math.max(requests / 10, WARM_UP))
					.mapToObj(others::request)
					.filter((request) -> request.kind() != Kind.STALLED),
				null);
		ServiceGauge.Held before = gauge.least();
		testBed.step("%s: %,d bad requests, %,d idle connections".formatted(gateway.name(), requests, idle));
		Tally tally = new Tally(testBed, gateway);
		int opened;
		List<RawConnection> silent = new ArrayList<>();
		try {
			opened = open(gateway.uri(), idle, silent);
			BadRequests corpus = new BadRequests(testBed.seed(), gateway.uri().getAuthority());
			send(testBed, gateway, IntStream.range(0, requests).mapToObj(corpus::request), tally);
		}
		finally {
			for (RawConnection connection : silent) {
				connection.close();
			}
		}
		ServiceGauge.Held after = gauge.leastUntil((held) -> heapGrowth(before, held) <= HEAP_GROWTH_MIB / 2
				&& threadGrowth(before, held) <= THREAD_GROWTH / 2);
		tally.write();
		String name = gateway.name() + ": ";
		return new Outcome(tally.describe(), List.of(Check.exactly(name + "idle connections opened", idle, opened),
				Check.exactly(name + "requests sent", requests, tally.count),
				Check.none(name + "5xx other than 503 with Retry-After, and 501 and 505 for unknown HTTP",
						tally.failed),
				Check.none(name + "answers that are not HTTP", tally.garbled),
				Check.none(name + "requests neither answered nor closed in time", tally.hanging),
				Check.none(name + "good requests among them not placed", tally.goodNotPlaced),
				Check.atLeast(name + "good requests among them", 1, (double) tally.good, ""),
				Check.none(name + "orders that break one rule of the OpenAPI document, and not answered 400",
						tally.ruleNotNamed),
				Check.atMost(name + "slowest answer to a request sent at once", ANSWER_MILLIS,
						(double) tally.slowestMillis, "ms"),
				Check.atMost(name + "growth of the live heap", HEAP_GROWTH_MIB, heapGrowth(before, after), "MiB"),
				Check.atMost(name + "growth of platform threads", THREAD_GROWTH, threadGrowth(before, after), "")));
	}

	private static double heapGrowth(ServiceGauge.Held before, ServiceGauge.Held after) {
		return Math.max(0, Math.rint((after.heapBytes() - before.heapBytes()) / (1 << 20)));
	}

	private static double threadGrowth(ServiceGauge.Held before, ServiceGauge.Held after) {
		return Math.max(0, after.threads() - before.threads());
	}

	private static int open(URI uri, int count, List<RawConnection> connections) {
		for (int i = 0; i < count; i++) {
			try {
				connections.add(RawConnection.open(uri));
			}
			catch (IOException _) {
				return connections.size();
			}
		}
		return connections.size();
	}

	/**
	 * @param tally counts the results; null for the warm-up
	 */
	private static void send(TestBed testBed, Service gateway, Stream<Request> requests, @Nullable Tally tally)
			throws InterruptedException {
		Semaphore quick = new Semaphore(QUICK_AT_ONCE);
		Semaphore slow = new Semaphore(SLOW_AT_ONCE);
		try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor();
				ScheduledExecutorService guard = Executors
					.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("guard").factory())) {
			for (Request request : (Iterable<Request>) requests::iterator) {
				Semaphore places = request.kind().isSlow() ? slow : quick;
				places.acquire();
				clients.execute(() -> {
					try {
						sendOne(gateway, request, guard, tally);
					}
					catch (InterruptedException _) {
						Thread.currentThread().interrupt();
					}
					finally {
						places.release();
					}
				});
				testBed.now("%s: request %,d".formatted(gateway.name(), request.number()));
			}
			clients.shutdown();
			if (!clients.awaitTermination(2 * EXCHANGE_MILLIS, TimeUnit.MILLISECONDS)) {
				throw new LabException("Requests to %s have not ended".formatted(gateway.name()));
			}
		}
	}

	private static void sendOne(Service gateway, Request request, ScheduledExecutorService guard, @Nullable Tally tally)
			throws InterruptedException {
		if (tally == null) {
			exchange(gateway.uri(), request, guard);
			return;
		}
		Retry.Exchange<RuntimeException> timed = () -> {
			long began = System.nanoTime();
			Reply reply = exchange(gateway.uri(), request, guard);
			tally.sent(request, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began));
			return reply;
		};
		tally.add(request, request.kind().isGood() ? Retry.whileServersFail(timed, PATIENCE) : timed.run());
	}

	private static Reply exchange(URI uri, Request request, ScheduledExecutorService guard) {
		boolean slowReader = request.kind() == Kind.SLOW_READER;
		try (RawConnection connection = RawConnection.open(uri, slowReader ? SMALL_WINDOW_BYTES : 0)) {
			// Sending may hang, too, and has no deadline.
			AtomicBoolean over = new AtomicBoolean();
			ScheduledFuture<?> end = guard.schedule(() -> {
				over.set(true);
				connection.close();
				return null;
			}, EXCHANGE_MILLIS, TimeUnit.MILLISECONDS);
			try {
				Reply reply = exchange(connection, request);
				return over.get() ? new Reply.Silent() : reply;
			}
			finally {
				end.cancel(false);
			}
		}
		catch (IOException _) {
			return new Reply.Closed();
		}
		catch (InterruptedException _) {
			Thread.currentThread().interrupt();
			return new Reply.Silent();
		}
	}

	private static Reply exchange(RawConnection connection, Request request) throws InterruptedException {
		try {
			for (int i = 0; i < request.parts().size(); i++) {
				if (i > 0) {
					Thread.sleep(Duration.ofMillis(request.pauseMillis()));
				}
				connection.send(request.parts().get(i));
			}
			if (request.ends()) {
				connection.endOutput();
			}
		}
		catch (IOException _) {
			// The gateway may have answered before it had the whole request.
		}
		return connection.receive((request.kind() == Kind.STALLED) ? STALLED_MILLIS : ANSWER_MILLIS, request.isHead());
	}

	/**
	 * The results of the requests to one gateway.
	 *
	 * @param answers number of answers of each kind
	 */
	private record Outcome(String answers, List<Check> checks) {
	}

	/** Counts the results of the requests to one gateway. Thread-safe. */
	private static final class Tally {

		private final Map<String, Integer> byKind = new TreeMap<>();

		private final Map<String, Integer> byAnswer = new TreeMap<>();

		private final List<String> failures = new ArrayList<>();

		private final Path directory;

		private int count;

		private int exchanges;

		private int failed;

		private int garbled;

		private int hanging;

		private int good;

		private int goodNotPlaced;

		private int ruleNotNamed;

		private long slowestMillis;

		Tally(TestBed testBed, Service gateway) throws IOException {
			this.directory = Files.createDirectories(testBed.file(gateway.name()));
			this.failures.add("number,kind,what");
		}

		synchronized void sent(Request request, long tookMillis) {
			this.exchanges++;
			if (!request.kind().isSlow()) {
				this.slowestMillis = Math.max(this.slowestMillis, tookMillis);
			}
		}

		/** Counts the final result of a request. */
		synchronized void add(Request request, Reply reply) {
			this.count++;
			String summary = describe(reply);
			this.byKind.merge("%s,%s".formatted(request.kind(), summary), 1, Integer::sum);
			this.byAnswer.merge(summary, 1, Integer::sum);
			boolean placed = false;
			switch (reply) {
				case Reply.Answer answer -> {
					placed = answer.status() / 100 == 2;
					if (!isDesigned(answer)) {
						this.failed++;
						keep(request, answer.status() + " " + answer.body());
					}
				}
				case Reply.Silent _ -> {
					this.hanging++;
					keep(request, summary);
				}
				case Reply.Garbled(String what) -> {
					this.garbled++;
					keep(request, what);
				}
				case Reply.Closed _ -> {
					// A client that sends no HTTP may get no answer.
				}
			}
			if (request.kind() == Kind.RULE && !summary.equals(REFUSED)) {
				this.ruleNotNamed++;
				keep(request, summary);
			}
			if (request.kind().isGood()) {
				this.good++;
				if (!placed) {
					this.goodNotPlaced++;
					keep(request, summary);
				}
			}
		}

		private static String describe(Reply reply) {
			return switch (reply) {
				case Reply.Answer answer -> Integer.toString(answer.status());
				case Reply.Closed _ -> "closed";
				case Reply.Silent _ -> "silent";
				case Reply.Garbled _ -> "garbled";
			};
		}

		private static boolean isDesigned(Reply.Answer answer) {
			return switch (answer.status()) {
				case NOT_IMPLEMENTED, VERSION_NOT_SUPPORTED -> true;
				default -> answer.status() < 500 || answer.isUnavailable();
			};
		}

		private void keep(Request request, String what) {
			this.failures.add("%d,%s,\"%s\"".formatted(request.number(), request.kind(),
					what.replace('"', '\'').replaceAll("\\s+", " ")));
			if (this.failures.size() <= KEPT) {
				try {
					Files.write(this.directory.resolve("%d-%s.http".formatted(request.number(), request.kind())),
							request.bytes());
				}
				catch (IOException ex) {
					throw new LabException("A failing request cannot be kept: " + ex.getMessage(), ex);
				}
			}
		}

		synchronized void write() throws IOException {
			Files.write(this.directory.resolve("failures.csv"), this.failures);
			List<String> lines = new ArrayList<>(List.of("kind,answer,requests"));
			this.byKind.forEach((kind, requests) -> lines.add("%s,%d".formatted(kind, requests)));
			Files.write(this.directory.resolve("answers.csv"), lines);
		}

		synchronized String describe() {
			int again = this.exchanges - this.count;
			return Evidence.describe(this.byAnswer)
					+ ((again == 0) ? "" : "; good requests sent again: %,d".formatted(again));
		}

	}

}
