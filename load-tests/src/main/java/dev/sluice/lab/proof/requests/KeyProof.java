package dev.sluice.lab.proof.requests;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import dev.sluice.contract.BackendAudit;
import dev.sluice.contract.HttpNames;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.plan.SampleOrder;
import dev.sluice.lab.kit.result.ProofResult.Check;
import dev.sluice.lab.kit.stack.LabException;
import dev.sluice.lab.kit.stack.RawConnection.Reply;
import dev.sluice.lab.kit.stack.RawConnection;
import dev.sluice.lab.kit.stack.Service;
import dev.sluice.lab.proof.claim.Proof;
import dev.sluice.lab.proof.claim.TestBed;
import tools.jackson.databind.json.JsonMapper;

/**
 * Opens all connections, then sends a request on each at once, in turn to both gateways
 * and in both modes. Then runs {@link TwoPayloads}.
 */
public final class KeyProof implements Proof {

	private static final String CUSTOMER = "customer-1";

	/** Connections opened at the same time, as a listener's backlog is limited. */
	private static final int OPENING = 200;

	private static final long OPEN_SECONDS = 60;

	/** The deadline of a sync order plus some time for the client. */
	private static final long ANSWER_MILLIS = 10_500;

	/** Time for a repeat to be answered while Kafka or PostgreSQL fails. */
	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final int POLL_MILLIS = 100;

	/** Number of warm-up orders to each gateway in each mode. */
	private static final int WARM_UP = 25;

	private static final int CREATED = 201;

	private static final int ACCEPTED = 202;

	private static final Set<Integer> PLACED = Set.of(CREATED, ACCEPTED);

	private static final int CONFLICT = 409;

	private static final int REUSED = 422;

	@Override
	public String name() {
		return "key";
	}

	@Override
	public String question() {
		return "Does an idempotency key have one effect, however many requests carry it to both gateways at once?";
	}

	@Override
	public Evidence run(TestBed testBed) throws IOException, InterruptedException {
		int requests = testBed.size(10_000, 1_000, 100);
		testBed.startAll();
		long before = warmUp(testBed);
		testBed.step("Sending %,d requests with one key at once".formatted(requests));
		List<Exchange> storm = storm(testBed, requests);
		BackendAudit audit = testBed.awaitQuiet(Duration.ofSeconds(60));
		List<Exchange> repeats = new ArrayList<>();
		List<Exchange> others = new ArrayList<>();
		for (Service gateway : testBed.gateways()) {
			for (Mode mode : Mode.values()) {
				repeats.add(patientExchange(gateway, mode, request(gateway.uri(), mode, key(testBed), 1)));
				others.add(patientExchange(gateway, mode, request(gateway.uri(), mode, key(testBed), 2)));
			}
		}
		write(testBed, storm, repeats, others);
		long saved = testBed.backend().audit().saved() - before;
		List<Check> two = new TwoPayloads(testBed, testBed.size(100, 20, 4)).run();
		List<Exchange> all = new ArrayList<>(storm);
		all.addAll(repeats);
		Map<String, Integer> answers = new TreeMap<>();
		storm.forEach((exchange) -> answers.merge(exchange.describe(), 1, Integer::sum));
		return new Evidence(
				Map.of("requests",
						"%,d at once, in turn to %s, half of them queued".formatted(requests, TestBed.GATEWAYS), "key",
						key(testBed), "answers", Evidence.describe(answers), "deliveries that the backend absorbed",
						Long.toString(audit.duplicates())),
				Stream.concat(Stream.of(Check.exactly("orders at the backend", 1, saved),
						Check.atLeast("requests answered 201 or 202", 1, (double) count(storm, PLACED), ""),
						Check.none("requests without an answer", storm.stream().filter((e) -> !e.answered()).count()),
						Check.none("answers that are none of 201, 202, 409 and 503 with Retry-After",
								storm.stream().filter((e) -> e.answered() && !e.designed()).count()),
						Check.exactly("different bodies of all 201", 1, bodies(all, CREATED)),
						Check.exactly("different bodies of all 202", 1, bodies(all, ACCEPTED)),
						Check.atMost("slowest answer", ANSWER_MILLIS,
								(double) storm.stream().mapToLong(Exchange::tookMillis).max().orElse(0), "ms"),
						Check.exactly("later repeats answered 201 or 202 again", repeats.size(),
								count(repeats, PLACED)),
						Check.exactly("later requests with another payload answered 422", others.size(),
								count(others, Set.of(REUSED)))),
						two.stream())
					.toList(),
				null);
	}

	/**
	 * Without it, the first look-ups of keys exceed their timeout, and the gateway sheds
	 * the whole storm.
	 * @return number of orders at the backend
	 */
	private static long warmUp(TestBed testBed) throws IOException, InterruptedException {
		long orders = (long) WARM_UP * Mode.values().length * testBed.gateways().size();
		testBed.step("Placing %,d orders with keys of their own, so that the gateways are warm".formatted(orders));
		for (int i = 0; i < WARM_UP; i++) {
			for (Service gateway : testBed.gateways()) {
				for (Mode mode : Mode.values()) {
					String key = "warm-up-%d-%d-%s-%s".formatted(testBed.seed(), i, gateway.name(), mode);
					patientExchange(gateway, mode, request(gateway.uri(), mode, key, 1));
				}
			}
		}
		long deadline = System.nanoTime() + PATIENCE.toNanos();
		while (testBed.backend().audit().saved() < orders) {
			if (System.nanoTime() - deadline > 0) {
				throw new LabException("The backend saved only %,d of the first %,d orders within %d s"
					.formatted(testBed.backend().audit().saved(), orders, PATIENCE.toSeconds()));
			}
			Thread.sleep(POLL_MILLIS);
		}
		return orders;
	}

	private List<Exchange> storm(TestBed testBed, int requests) throws InterruptedException {
		Semaphore opening = new Semaphore(OPENING);
		CountDownLatch open = new CountDownLatch(requests);
		CountDownLatch go = new CountDownLatch(1);
		List<Future<Exchange>> futures = new ArrayList<>();
		try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
			try {
				for (int i = 0; i < requests; i++) {
					Service gateway = testBed.gateways().get(i % 2);
					Mode mode = Mode.values()[i / 2 % 2];
					byte[] request = request(gateway.uri(), mode, key(testBed), 1);
					futures.add(executor.submit(() -> {
						opening.acquire();
						RawConnection connection;
						try {
							connection = RawConnection.open(gateway.uri());
						}
						finally {
							opening.release();
							open.countDown();
						}
						try (connection) {
							go.await();
							return exchange(connection, gateway, mode, request);
						}
					}));
				}
				if (!open.await(OPEN_SECONDS, TimeUnit.SECONDS)) {
					throw new LabException("The gateways accepted only %,d of %,d connections within %d s"
						.formatted(requests - open.getCount(), requests, OPEN_SECONDS));
				}
				go.countDown();
				List<Exchange> exchanges = new ArrayList<>();
				for (Future<Exchange> future : futures) {
					exchanges.add(future.get());
				}
				return exchanges;
			}
			catch (ExecutionException ex) {
				throw new LabException("A connection could not be used: " + ex.getCause(), ex);
			}
			finally {
				executor.shutdownNow();
			}
		}
	}

	private static Exchange patientExchange(Service gateway, Mode mode, byte[] request)
			throws IOException, InterruptedException {
		long sent = System.nanoTime();
		Reply reply = Retry.whileServersFail(() -> {
			try (RawConnection connection = RawConnection.open(gateway.uri())) {
				return reply(connection, request);
			}
		}, PATIENCE);
		return new Exchange(gateway.name(), mode, millisSince(sent), reply);
	}

	private static Exchange exchange(RawConnection connection, Service gateway, Mode mode, byte[] request) {
		long sent = System.nanoTime();
		Reply reply = reply(connection, request);
		return new Exchange(gateway.name(), mode, millisSince(sent), reply);
	}

	private static Reply reply(RawConnection connection, byte[] request) {
		try {
			connection.send(request);
			return connection.receive(2 * ANSWER_MILLIS);
		}
		catch (IOException _) {
			return new Reply.Closed();
		}
	}

	private static long millisSince(long nanoTime) {
		return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanoTime);
	}

	private static byte[] request(URI uri, Mode mode, String key, int quantity) {
		String body = JsonMapper.shared().writeValueAsString(SampleOrder.of(CUSTOMER, "sku-1", quantity));
		String prefer = switch (mode) {
			case SYNC -> "";
			case QUEUED -> "%s: %s\r\n".formatted(HttpNames.PREFER, HttpNames.RESPOND_ASYNC);
		};
		return "POST /orders HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n%s: \"%s\"\r\n%sContent-Length: %d\r\n\r\n%s"
			.formatted(uri.getAuthority(), HttpNames.IDEMPOTENCY_KEY, key, prefer, body.length(), body)
			.getBytes(StandardCharsets.US_ASCII);
	}

	private static String key(TestBed testBed) {
		return "prove-" + testBed.seed();
	}

	private static long count(List<Exchange> exchanges, Set<Integer> statuses) {
		return exchanges.stream().filter((exchange) -> statuses.contains(exchange.status())).count();
	}

	private static int bodies(List<Exchange> exchanges, int status) {
		Set<String> bodies = new TreeSet<>();
		exchanges.stream().filter((exchange) -> exchange.status() == status).map(Exchange::body).forEach(bodies::add);
		return bodies.size();
	}

	@SafeVarargs
	private static void write(TestBed testBed, List<Exchange>... all) throws IOException {
		List<String> lines = new ArrayList<>(List.of("gateway,mode,took_ms,answer,body"));
		for (List<Exchange> exchanges : all) {
			exchanges.forEach((e) -> lines.add("%s,%s,%d,%s,\"%s\"".formatted(e.gateway(), e.mode(), e.tookMillis(),
					e.describe(), e.body().replace("\"", "\"\""))));
		}
		Files.write(testBed.file("answers.csv"), lines);
	}

	/** A request and its answer. */
	private record Exchange(String gateway, Mode mode, long tookMillis, Reply reply) {

		boolean answered() {
			return this.reply instanceof Reply.Answer;
		}

		int status() {
			return (this.reply instanceof Reply.Answer answer) ? answer.status() : 0;
		}

		String body() {
			return (this.reply instanceof Reply.Answer answer) ? answer.body() : "";
		}

		String describe() {
			return switch (this.reply) {
				case Reply.Answer answer -> Integer.toString(answer.status());
				case Reply.Closed _ -> "closed";
				case Reply.Silent _ -> "silent";
				case Reply.Garbled _ -> "garbled";
			};
		}

		boolean designed() {
			return switch (this.reply) {
				case Reply.Answer answer -> switch (answer.status()) {
					case CREATED, ACCEPTED, CONFLICT -> true;
					default -> answer.isUnavailable();
				};
				case Reply.Closed _, Reply.Silent _, Reply.Garbled _ -> false;
			};
		}

	}

}
