package dev.sluice.lab.chaos;

import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.sluice.contract.Placed;
import dev.sluice.devservices.Patience;
import dev.sluice.lab.chaos.OrderLedger.Answer;
import dev.sluice.lab.kit.client.OpenClient;
import dev.sluice.lab.kit.client.OpenClient.Figures;
import dev.sluice.lab.kit.client.OpenClient.OpenLoad;
import dev.sluice.lab.kit.client.OpenClient.Requests;
import dev.sluice.lab.kit.client.OrderRequests;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.plan.OrderIdentity;
import dev.sluice.lab.kit.stack.Http;
import dev.sluice.lab.kit.stack.LabException;
import org.jspecify.annotations.Nullable;

/**
 * Clients that do not wait for each other: orders are due by the clock, whatever happened
 * to those before. A client whose order is not accepted tries the same order again, with
 * the same key, at the next gateway, after a pause that doubles. After {@link #ATTEMPTS}
 * attempts it gives up.
 * <p>
 * At most {@link #MAX_OPEN} orders are open at once. Further orders are not placed.
 */
final class OrderDriver implements AutoCloseable {

	/** Maximum number of attempts of an order. */
	static final int ATTEMPTS = 6;

	static final int MAX_OPEN = 10_000;

	/** The gateways promise to answer within 2 s. */
	private static final Duration QUEUED_TIMEOUT = Duration.ofSeconds(4);

	/** The gateways promise to answer within 10 s. */
	private static final Duration SYNC_TIMEOUT = Duration.ofSeconds(12);

	private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);

	/** The Retry-After of a gateway that refuses an order. */
	static final Duration FIRST_PAUSE = Duration.ofSeconds(1);

	/** Longer than all attempts and pauses of an order. */
	private static final Duration END = Duration.ofSeconds(120);

	private static final Pattern PLACED = Pattern.compile("\"" + Placed.MEMBER + "\"\\s*:\\s*\"([^\"]*)\"");

	private final HttpClient client = Http.client(CONNECT_TIMEOUT);

	private final ExecutorService clients = Executors.newThreadPerTaskExecutor(Thread.ofVirtual().factory());

	private final AtomicInteger placed = new AtomicInteger();

	private final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();

	private final List<Gateway> gateways;

	private final OrderIdentity identity;

	private final OrderLedger ledger;

	private final long startNanos;

	private final Duration firstPause;

	private long latestMillis;

	/**
	 * A gateway that gets orders.
	 *
	 * @param name its name in the results
	 * @param uri without a path
	 */
	record Gateway(String name, URI uri) {
	}

	/**
	 * @param gateways tried in turn
	 * @param identity ids and keys of the orders
	 * @param ledger records the answers
	 * @param startNanos the beginning of the load, of {@link System#nanoTime}
	 * @param firstPause before the second attempt of an order
	 */
	OrderDriver(List<Gateway> gateways, OrderIdentity identity, OrderLedger ledger, long startNanos,
			Duration firstPause) {
		this.gateways = List.copyOf(gateways);
		this.identity = identity;
		this.ledger = ledger;
		this.startNanos = startNanos;
		this.firstPause = firstPause;
	}

	/**
	 * Places orders, at most as many as the ledger has room for. Returns when each has
	 * its last answer.
	 * @param check run before each order; what it throws ends the load
	 * @throws LabException if clients do not finish
	 */
	void run(double ratePerSecond, Runnable check) throws InterruptedException {
		Duration length = Duration.ofNanos(Math.round(this.ledger.orders() * 1e9 / ratePerSecond));
		Duration end = Patience.of(END);
		Figures figures = OpenClient.run(new OpenLoad(ratePerSecond, length, end, MAX_OPEN), (order, reply) -> {
			check.run();
			throwFailure();
			this.clients.execute(() -> {
				place(order);
				reply.take(Requests.NOT_ANSWERED, null);
			});
		});
		this.latestMillis = Math.round(figures.lag().max());
		if (figures.tally().outstanding() > 0) {
			throw new LabException("%s clients were still running %s s after the end of the load"
				.formatted(figures.tally().outstanding(), end.toSeconds()));
		}
		throwFailure();
	}

	private void throwFailure() {
		RuntimeException ex = this.failure.get();
		if (ex != null) {
			throw ex;
		}
	}

	/** Number of orders tried at least once. */
	public int placed() {
		return this.placed.get();
	}

	/**
	 * Greatest delay with which an order was sent, in milliseconds; 0 until the load has
	 * ended.
	 */
	public long latestMillis() {
		return this.latestMillis;
	}

	private void place(int order) {
		try {
			this.placed.incrementAndGet();
			long pause = this.firstPause.toMillis();
			for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
				Gateway gateway = this.gateways.get((order + attempt) % this.gateways.size());
				if (!attempt(order, attempt, gateway).again()) {
					return;
				}
				if (attempt < ATTEMPTS) {
					// Half of the pause is random, so that clients do not return in step.
					Thread.sleep(pause / 2 + ThreadLocalRandom.current().nextLong(pause / 2));
					pause *= 2;
				}
			}
		}
		catch (InterruptedException _) {
			Thread.currentThread().interrupt();
		}
		catch (RuntimeException ex) {
			this.failure.compareAndSet(null, ex);
		}
	}

	private Answer attempt(int order, int attempt, Gateway gateway) throws InterruptedException {
		HttpRequest request = request(order, gateway);
		long sentNanos = System.nanoTime();
		Answer answer;
		try {
			HttpResponse<String> response = this.client.send(request, BodyHandlers.ofString());
			answer = Answer.of(response.statusCode(), placed(response));
			if (answer.meaning() == Answer.Meaning.ACCEPTED) {
				check(order, response);
			}
		}
		catch (ConnectException | HttpConnectTimeoutException _) {
			answer = Answer.UNREACHABLE;
		}
		catch (HttpTimeoutException _) {
			answer = Answer.TIMEOUT;
		}
		catch (IOException _) {
			answer = Answer.BROKEN;
		}
		this.ledger.enter(order, attempt, gateway.name(), millis(sentNanos - this.startNanos),
				millis(System.nanoTime() - sentNanos), answer);
		return answer;
	}

	private void check(int order, HttpResponse<String> response) {
		String location = response.headers().firstValue("Location").orElse("");
		if (!location.endsWith("/orders/" + this.identity.id(order))) {
			this.ledger.misnamed();
		}
	}

	private HttpRequest request(int order, Gateway gateway) {
		Mode mode = this.ledger.mode(order);
		return HttpRequest
			.newBuilder(new OrderRequests(gateway.uri(), mode, this.identity, null).apply(order), (_, _) -> true)
			.timeout((mode == Mode.SYNC) ? SYNC_TIMEOUT : QUEUED_TIMEOUT)
			.build();
	}

	private static @Nullable String placed(HttpResponse<String> response) {
		if (response.statusCode() / 100 == 2) {
			return null;
		}
		Matcher placed = PLACED.matcher(response.body());
		return placed.find() ? placed.group(1) : null;
	}

	private static long millis(long nanos) {
		return TimeUnit.NANOSECONDS.toMillis(nanos);
	}

	@Override
	public void close() {
		this.clients.shutdownNow();
		this.client.shutdownNow();
		this.clients.close();
		this.client.close();
	}

}
