package dev.sluice.lab.proof.requests;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

import dev.sluice.lab.kit.result.ProofResult.Check;
import dev.sluice.lab.kit.stack.LabException;
import dev.sluice.lab.kit.stack.RawConnection.Reply;
import dev.sluice.lab.kit.stack.RawConnection;
import dev.sluice.lab.kit.stack.Service;
import dev.sluice.lab.kit.stack.ServiceOptions;
import dev.sluice.lab.proof.claim.Proof;
import dev.sluice.lab.proof.claim.TestBed;
import dev.sluice.lab.proof.requests.TwinRequests.Exchange;

/**
 * Sends the same generated requests to both gateways and compares the answers: their
 * number on a connection, and for each the status, the body and the headers that clients
 * act on. Differences are kept as files with both answers.
 */
public final class TwinsProof implements Proof {

	/** Hosts of equal length, so that the requests have equal lengths, too. */
	private static final List<String> HOSTS = List.of("twin-one", "twin-two");

	/** Exchanges at once; most of the time they wait for a time limit of the gateway. */
	private static final int AT_ONCE = 100;

	/** Longer than every time limit of the gateways under test. */
	private static final long ANSWER_MILLIS = 20_000;

	/**
	 * Attempts of an exchange. A busy machine may make one gateway miss a time limit, or
	 * open the circuit breaker of its status store for a second.
	 */
	private static final int ATTEMPTS = 3;

	private static final long PAUSE_MILLIS = 2_000;

	private static final Set<String> HEADERS = Set.of("allow", "content-type", "retry-after", "preference-applied",
			"location", "connection");

	private static final ServiceOptions SHORT_LIMITS = ServiceOptions.NONE.withProperty("sluice.head-timeout", "2s")
		.withProperty("sluice.body-timeout", "2s")
		.withProperty("sluice.min-body-rate", "0B")
		.withProperty("server.netty.idle-timeout", "3s")
		.withProperty("server.tomcat.keep-alive-timeout", "3s")
		.withProperty("server.tomcat.connection-timeout", "3s");

	@Override
	public String name() {
		return "twins";
	}

	@Override
	public String question() {
		return "Do both gateways answer every request alike?";
	}

	@Override
	public Evidence run(TestBed testBed) throws IOException, InterruptedException {
		int count = testBed.requests(10_000, 3_000, 1_500);
		testBed.startAll(ServiceOptions.NONE, SHORT_LIMITS);
		List<URI> gateways = testBed.gateways().stream().map(Service::uri).toList();
		testBed.step("%,d exchanges with each gateway".formatted(count));
		Map<String, AtomicInteger> answers = new TreeMap<>();
		Queue<String> differing = new ConcurrentLinkedQueue<>();
		AtomicInteger silent = new AtomicInteger();
		inParallel(testBed, count, (number) -> {
			List<List<String>> both = both(gateways, testBed.seed(), number);
			synchronized (answers) {
				both.getFirst()
					.forEach((answer) -> answers
						.computeIfAbsent(answer.substring(0, Math.min(6, answer.length())), (_) -> new AtomicInteger())
						.incrementAndGet());
			}
			if (both.stream().anyMatch((all) -> all.contains("silent"))) {
				silent.incrementAndGet();
			}
			if (!both.getFirst().equals(both.getLast())) {
				differing.add(describe(testBed.seed(), number, both));
			}
		});
		Files.write(testBed.file("differing.txt"), differing);
		return new Evidence(
				Map.of("exchanges", "%,d with each gateway".formatted(count), "seed", Long.toString(testBed.seed()),
						"answers", Evidence.describe(answers)),
				List.of(Check.none("exchanges that end differently", differing.size()),
						Check.none("exchanges that do not end", silent.get()),
						Check.atLeast("different answers among them", 8, (double) answers.size(), "")),
				null);
	}

	private static List<List<String>> both(List<URI> gateways, long seed, int number)
			throws IOException, InterruptedException {
		List<List<String>> both = List.of();
		for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
			if (attempt > 0) {
				Thread.sleep(PAUSE_MILLIS);
			}
			List<List<String>> answers = new ArrayList<>();
			for (int i = 0; i < gateways.size(); i++) {
				answers.add(answers(gateways.get(i), new TwinRequests(seed, HOSTS.get(i)).exchange(number)));
			}
			both = answers;
			if (both.getFirst().equals(both.getLast())) {
				return both;
			}
		}
		return both;
	}

	/** All answers until the gateway closes the connection. */
	private static List<String> answers(URI gateway, Exchange exchange) throws IOException {
		List<String> answers = new ArrayList<>();
		try (RawConnection connection = RawConnection.open(gateway)) {
			try {
				connection.send(exchange.bytes());
			}
			catch (IOException _) {
				// The gateway may have answered before it had the whole request.
			}
			while (true) {
				switch (connection.receive(ANSWER_MILLIS, exchange.head() && answers.isEmpty())) {
					case Reply.Answer answer -> answers.add(describe(answer));
					case Reply.Closed _ -> {
						return answers;
					}
					case Reply.Silent _ -> {
						answers.add("silent");
						return answers;
					}
					case Reply.Garbled(String what) -> {
						answers.add("garbled: " + what);
						return answers;
					}
				}
			}
		}
	}

	private static String describe(Reply.Answer answer) {
		String headers = new TreeMap<>(answer.headers()).entrySet()
			.stream()
			.filter((header) -> HEADERS.contains(header.getKey()))
			// Keep-alive is the default.
			.filter((header) -> !header.getKey().equals("connection") || !header.getValue().equals("keep-alive"))
			.map((header) -> header.getKey() + ": " + normalize(header.getKey(), header.getValue()))
			.collect(Collectors.joining("\n"));
		return neutral("%d%n%s%n%s".formatted(answer.status(), headers, answer.body()));
	}

	/** The order of methods is irrelevant. */
	private static String normalize(String name, String value) {
		return switch (name) {
			case "allow" -> Arrays.stream(value.split(", *")).sorted().collect(Collectors.joining(","));
			case "connection" -> value.toLowerCase(Locale.ROOT);
			default -> value;
		};
	}

	/** Masks values that differ between any two answers. */
	private static String neutral(String text) {
		return text.replaceAll("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "ID")
			.replaceAll("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z", "TIME")
			.replaceAll("twin-(?:one|two)", "HOST");
	}

	private static String describe(long seed, int number, List<List<String>> both) {
		return "======== seed %d, number %d%n%s%n-------- servlet%n%s%n-------- reactive%n%s%n".formatted(seed, number,
				new TwinRequests(seed, HOSTS.getFirst()).exchange(number), String.join("\n", both.getFirst()),
				String.join("\n", both.getLast()));
	}

	private static void inParallel(TestBed testBed, int count, Action action) throws InterruptedException {
		Semaphore places = new Semaphore(AT_ONCE);
		List<Future<?>> all = new ArrayList<>();
		try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
			for (int i = 0; i < count; i++) {
				int number = i;
				places.acquire();
				Callable<?> task = () -> {
					try {
						action.of(number);
						return number;
					}
					finally {
						places.release();
					}
				};
				all.add(clients.submit(task));
				testBed.now("exchange %,d".formatted(number));
			}
			for (Future<?> one : all) {
				one.get();
			}
		}
		catch (ExecutionException ex) {
			throw new LabException("An exchange failed: " + ex.getCause(), ex);
		}
	}

	/** Work on one number. */
	@FunctionalInterface
	private interface Action {

		void of(int number) throws IOException, InterruptedException;

	}

}
