package dev.sluice.lab.proof.requests;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import dev.sluice.contract.BackendBehaviour.Delay;
import dev.sluice.contract.BackendBehaviour;
import dev.sluice.lab.kit.result.ProofResult.Check;
import dev.sluice.lab.kit.stack.Module;
import dev.sluice.lab.kit.stack.RawConnection.Reply;
import dev.sluice.lab.kit.stack.RawConnection;
import dev.sluice.lab.kit.stack.Service;
import dev.sluice.lab.kit.stack.ServiceOptions;
import dev.sluice.lab.kit.stack.Variant;
import dev.sluice.lab.proof.claim.Proof;
import dev.sluice.lab.proof.claim.TestBed;

/**
 * Attacks each variant of the gateway in turn, as any client could: with many connections
 * that send a byte every few seconds, in heads and in bodies, and reconnect when they are
 * cut off; then with large bodies of every kind at once. Meanwhile a good client places
 * orders and health is polled. Finally all connections place orders again and again
 * before a slow backend, so that the gateway reaches every limit. It may refuse orders
 * then, but must not run out of memory.
 */
public final class SlowBodiesProof implements Proof {

	private static final String ORDER = """
			{"customerId":"good-client","items":[{"sku":"tea","quantity":2,"unitPrice":{"amount":"9.90","currency":"EUR"}}]}""";

	private static final long BYTE_MILLIS = 4_000;

	private static final int LARGE_AT_ONCE = 50;

	private static final long ANSWER_MILLIS = 10_000;

	private static final long HEALTH_MILLIS = 1_000;

	private static final long INTERVAL_MILLIS = 250;

	/** Longer than any answer may take, so that the slowest one is measured. */
	private static final long PATIENCE_MILLIS = 60_000;

	private static final int PIECE_BYTES = 64 * 1024;

	private static final int SAVED = 201;

	private static final long SLOW_BACKEND_MILLIS = 2_000;

	@Override
	public String name() {
		return "slow-bodies";
	}

	@Override
	public String question() {
		return "Can slow or large requests keep good clients out, or end a gateway?";
	}

	@Override
	public Set<Module> modules() {
		return Set.of(Module.BACKEND, Module.GATEWAY_SERVLET, Module.GATEWAY_REACTIVE);
	}

	@Override
	public Evidence run(TestBed testBed) throws IOException, InterruptedException {
		int connections = testBed.size(2_100, 400, 40);
		long seconds = testBed.size(60, 20, 5);
		int megabytes = testBed.size(50, 20, 2);
		testBed.startWithoutGateways();
		Map<String, String> setting = new TreeMap<>(Map.of("slow connections",
				"%,d, half of them in heads, a byte every %d s, for %d s".formatted(connections, BYTE_MILLIS / 1_000,
						seconds),
				"large bodies",
				"%d of %d MB, %d at once".formatted(LargeRequest.all().size(), megabytes, LARGE_AT_ONCE),
				"busy connections", "%,d, each with one order after the other for %d s, and a backend that takes %d ms"
					.formatted(connections, seconds, SLOW_BACKEND_MILLIS),
				"a gateway's JVM", "-Xmx384m"));
		List<Check> checks = new ArrayList<>();
		for (Variant variant : Variant.values()) {
			try (Service gateway = testBed.stack()
				.startGateway(variant, ServiceOptions.NONE.withJvmArgs("-Xms128m", "-Xmx384m"))) {
				// The first requests of a JVM are slow, with or without other clients.
				for (int i = 0; i < testBed.size(50, 20, 5); i++) {
					place(gateway);
				}
				testBed.step("%s: %,d slow connections".formatted(variant, connections));
				Good slow = new Good(testBed.client(), gateway);
				setting.put(variant + ", slow connections opened",
						"%,d".formatted(slow(gateway, connections, seconds, slow)));
				checks.addAll(slow.checks(variant + ", slow: "));
				testBed.step("%s: bodies of %d MB".formatted(variant, megabytes));
				Good large = new Good(testBed.client(), gateway);
				setting.put(variant + ", answers to large bodies", large(gateway, megabytes, large));
				checks.addAll(large.checks(variant + ", large: "));
				testBed.step("%s: %,d busy connections".formatted(variant, connections));
				testBed.backend().behave(BackendBehaviour.DEFAULT.withDelay(new Delay.Fixed(SLOW_BACKEND_MILLIS)));
				setting.put(variant + ", answers to busy connections", busy(gateway, connections, seconds));
				testBed.backend().behave(BackendBehaviour.DEFAULT);
				checks.add(Check.exactly(variant + ": is alive, and places an order", SAVED, place(gateway)));
				checks.add(Check.none(variant + ": lines of the log at WARN or ERROR", warnings(gateway)));
			}
		}
		return new Evidence(setting, checks, null);
	}

	/**
	 * Lines of the log at WARN or ERROR, without those about servers that the gateway
	 * uses.
	 */
	private static long warnings(Service gateway) throws IOException {
		try (Stream<String> lines = Files.lines(gateway.logFile(), StandardCharsets.ISO_8859_1)) {
			return lines.filter((line) -> line.contains(" WARN ") || line.contains(" ERROR "))
				.filter((line) -> !line.matches(".*(?i:kafka|hikari|r2dbc|OrderTopics).*"))
				.count();
		}
	}

	/**
	 * Keeps a number of connections open for a time.
	 * @return total number of connections opened
	 */
	private static long slow(Service gateway, int connections, long seconds, Good good) throws InterruptedException {
		AtomicLong opened = new AtomicLong();
		long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
		try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
			for (int i = 0; i < connections; i++) {
				boolean head = i % 2 == 0;
				clients.execute(() -> {
					while (System.nanoTime() - endNanos < 0) {
						opened.incrementAndGet();
						trickle(gateway, head, endNanos);
					}
				});
			}
			good.during(() -> System.nanoTime() - endNanos < 0);
		}
		return opened.get();
	}

	/** Sends slowly until it is cut off; retries a refused connection after a moment. */
	private static void trickle(Service gateway, boolean head, long endNanos) {
		String begin = "POST /orders HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n"
			.formatted(gateway.uri().getAuthority());
		try (RawConnection connection = RawConnection.open(gateway.uri())) {
			connection
				.send((begin + (head ? "X: " : "Content-Length: 60000\r\n\r\n{")).getBytes(StandardCharsets.US_ASCII));
			while (System.nanoTime() - endNanos < 0 && connection.receive(BYTE_MILLIS) instanceof Reply.Silent) {
				connection.send(new byte[] { ' ' });
			}
		}
		catch (IOException _) {
			pause();
		}
	}

	private static void pause() {
		try {
			Thread.sleep(INTERVAL_MILLIS);
		}
		catch (InterruptedException _) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Sends one request of each kind.
	 * @return number of answers of each kind
	 */
	private static String large(Service gateway, int megabytes, Good good) throws InterruptedException {
		Map<String, AtomicInteger> answers = new TreeMap<>();
		List<LargeRequest> requests = LargeRequest.all();
		Semaphore places = new Semaphore(LARGE_AT_ONCE);
		AtomicInteger left = new AtomicInteger(requests.size());
		try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
			for (LargeRequest request : requests) {
				clients.execute(() -> {
					places.acquireUninterruptibly();
					try {
						String answer = request.send(gateway, megabytes);
						synchronized (answers) {
							answers.computeIfAbsent(answer, (_) -> new AtomicInteger()).incrementAndGet();
						}
					}
					finally {
						places.release();
						left.decrementAndGet();
					}
				});
			}
			good.during(() -> left.get() > 0);
		}
		return Evidence.describe(answers);
	}

	/**
	 * Keeps a number of connections open for a time, each of which places orders.
	 * @return number of answers of each kind
	 */
	private static String busy(Service gateway, int connections, long seconds) {
		Map<String, AtomicInteger> answers = new ConcurrentSkipListMap<>();
		long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
		try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
			for (int i = 0; i < connections; i++) {
				clients.execute(() -> {
					while (System.nanoTime() - endNanos < 0) {
						keepPlacing(gateway, endNanos, answers);
					}
				});
			}
		}
		return Evidence.describe(answers);
	}

	/**
	 * Places orders until the gateway closes the connection, as it may after a refusal.
	 */
	private static void keepPlacing(Service gateway, long endNanos, Map<String, AtomicInteger> answers) {
		try (RawConnection connection = RawConnection.open(gateway.uri())) {
			Reply reply;
			do {
				connection.send(order(gateway, "keep-alive"));
				reply = connection.receive(PATIENCE_MILLIS);
				answers
					.computeIfAbsent(
							(reply instanceof Reply.Answer answer) ? Integer.toString(answer.status()) : "none",
							(_) -> new AtomicInteger())
					.incrementAndGet();
			}
			while (reply instanceof Reply.Answer && System.nanoTime() - endNanos < 0);
		}
		catch (IOException _) {
			pause();
		}
	}

	/** Places an order on a new connection; returns 0 if there is no answer. */
	private static int place(Service gateway) {
		try (RawConnection connection = RawConnection.open(gateway.uri())) {
			connection.send(order(gateway, "close"));
			return (connection.receive(PATIENCE_MILLIS) instanceof Reply.Answer answer) ? answer.status() : 0;
		}
		catch (IOException _) {
			return 0;
		}
	}

	private static byte[] order(Service gateway, String connection) {
		return """
				POST /orders HTTP/1.1\r
				Host: %s\r
				Content-Type: application/json\r
				Content-Length: %d\r
				Connection: %s\r
				\r
				%s""".formatted(gateway.uri().getAuthority(), ORDER.length(), connection, ORDER)
			.getBytes(StandardCharsets.US_ASCII);
	}

	/**
	 * A request with a large body.
	 *
	 * @param type its media type
	 */
	private record LargeRequest(String method, String path, String type, boolean chunked) {

		static List<LargeRequest> all() {
			List<LargeRequest> all = new ArrayList<>();
			for (String method : List.of("POST", "PUT", "PATCH", "DELETE")) {
				for (String path : List.of("/orders", "/nothing")) {
					for (String type : List.of("application/json", "application/x-www-form-urlencoded",
							"multipart/form-data", "multipart/form-data; boundary=b")) {
						all.add(new LargeRequest(method, path, type, false));
						all.add(new LargeRequest(method, path, type, true));
					}
				}
			}
			return all;
		}

		/** Sends as much as the gateway reads, and returns the answer's status. */
		String send(Service gateway, int megabytes) {
			try (RawConnection connection = RawConnection.open(gateway.uri())) {
				long bytes = megabytes * 1024L * 1024;
				String framing = this.chunked ? "Transfer-Encoding: chunked" : "Content-Length: " + bytes;
				connection.send("%s %s HTTP/1.1\r\nHost: %s\r\nContent-Type: %s\r\n%s\r\n\r\n"
					.formatted(this.method, this.path, gateway.uri().getAuthority(), this.type, framing)
					.getBytes(StandardCharsets.US_ASCII));
				sendBody(connection, bytes);
				return (connection.receive(PATIENCE_MILLIS) instanceof Reply.Answer answer)
						? Integer.toString(answer.status()) : "closed";
			}
			catch (IOException _) {
				return "closed";
			}
		}

		private void sendBody(RawConnection connection, long bytes) {
			byte[] piece = piece();
			try {
				for (long sent = 0; sent < bytes; sent += PIECE_BYTES) {
					connection.send(piece);
				}
			}
			catch (IOException _) {
				// The gateway has closed; an earlier answer may still be readable.
			}
		}

		private byte[] piece() {
			String content = "a=b&".repeat(PIECE_BYTES / 4);
			String piece = this.chunked ? "%x\r\n%s\r\n".formatted(PIECE_BYTES, content) : content;
			return piece.getBytes(StandardCharsets.US_ASCII);
		}

	}

	/** A good client and a health check during an attack. Not thread-safe. */
	private static final class Good {

		private final HttpClient client;

		private final Service gateway;

		private final AtomicInteger asked = new AtomicInteger();

		private final AtomicInteger unwell = new AtomicInteger();

		private final AtomicLong slowestHealth = new AtomicLong();

		private int placed;

		private int notPlaced;

		private long slowest;

		Good(HttpClient client, Service gateway) {
			this.client = client;
			this.gateway = gateway;
		}

		void during(Phase phase) throws InterruptedException {
			AtomicBoolean done = new AtomicBoolean();
			Thread health = Thread.ofVirtual().start(() -> {
				while (!done.get()) {
					askHealth();
					pause();
				}
			});
			do {
				long start = System.nanoTime();
				if (place(this.gateway) == SAVED) {
					this.placed++;
				}
				else {
					this.notPlaced++;
				}
				this.slowest = Math.max(this.slowest, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
				Thread.sleep(INTERVAL_MILLIS);
			}
			while (phase.goesOn());
			done.set(true);
			health.join();
		}

		private void askHealth() {
			HttpRequest request = HttpRequest.newBuilder(this.gateway.management().resolve("/actuator/health/liveness"))
				.timeout(Duration.ofMillis(PATIENCE_MILLIS))
				.build();
			long start = System.nanoTime();
			this.asked.incrementAndGet();
			try {
				if (this.client.send(request, BodyHandlers.discarding()).statusCode() != 200) {
					this.unwell.incrementAndGet();
				}
			}
			catch (IOException _) {
				this.unwell.incrementAndGet();
			}
			catch (InterruptedException _) {
				Thread.currentThread().interrupt();
			}
			this.slowestHealth.accumulateAndGet(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start), Math::max);
		}

		List<Check> checks(String name) {
			return List.of(Check.atLeast(name + "orders of a good client placed", 1, (double) this.placed, ""),
					Check.none(name + "orders of a good client not placed", this.notPlaced),
					Check.atMost(name + "slowest of them", ANSWER_MILLIS, (double) this.slowest, "ms"),
					Check.none(name + "health checks failed", this.unwell.get()), Check
						.atMost(name + "slowest health check", HEALTH_MILLIS, (double) this.slowestHealth.get(), "ms"));
		}

	}

	/** Whether an attack goes on. */
	@FunctionalInterface
	private interface Phase {

		boolean goesOn();

	}

}
