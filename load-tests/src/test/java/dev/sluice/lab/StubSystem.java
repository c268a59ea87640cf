package dev.sluice.lab;

import java.io.IOException;
import java.net.URI;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import com.sun.net.httpserver.HttpExchange;
import dev.sluice.contract.BackendAudit;
import dev.sluice.contract.HttpNames;
import dev.sluice.contract.ProblemType;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** A gateway and its backend in one server, just enough for a load. */
public final class StubSystem implements AutoCloseable {

	private final StubServer server = new StubServer();

	private final Map<String, AtomicInteger> tries = new ConcurrentHashMap<>();

	private final AtomicReference<Set<String>> saved = new AtomicReference<>(ConcurrentHashMap.newKeySet());

	private final AtomicReference<@Nullable Instant> lastSavedAt = new AtomicReference<>();

	/** Orders that are accepted and not saved; null while each is saved at once. */
	private final AtomicReference<@Nullable Set<String>> held = new AtomicReference<>();

	private final AtomicInteger probes = new AtomicInteger();

	private final int failures;

	/**
	 * @param failures calls that fail for each order before one succeeds; probes never
	 * fail
	 */
	public StubSystem(int failures) {
		this.failures = failures;
		this.server.on("/orders", this::orders)
			.on("/audit", this::audit)
			.on("/behaviour", (exchange) -> answer(exchange, 204, null));
	}

	public URI url() {
		return this.server.uri("");
	}

	/** Accepts orders without saving them. */
	public void hold() {
		this.held.set(ConcurrentHashMap.newKeySet());
	}

	/** Saves what was held. */
	public void release() {
		Set<String> orders = this.held.getAndSet(null);
		if (orders != null) {
			this.saved.get().addAll(orders);
		}
	}

	/** How many probes were sent. */
	public int probes() {
		return this.probes.get();
	}

	private void orders(HttpExchange exchange) throws IOException {
		if (exchange.getRequestMethod().equals("GET")) {
			answer(exchange, 200, Map.of("saved", this.saved.get().size()));
			return;
		}
		String key = exchange.getRequestHeaders().getFirst(HttpNames.IDEMPOTENCY_KEY);
		boolean probe = key.contains("probe");
		this.probes.addAndGet(probe ? 1 : 0);
		int tries = probe ? this.failures + 1
				: this.tries.computeIfAbsent(key, (_) -> new AtomicInteger()).incrementAndGet();
		if (tries <= this.failures) {
			refuse(exchange, tries);
			return;
		}
		Objects.requireNonNullElse(this.held.get(), this.saved.get()).add(key);
		this.lastSavedAt.set(Instant.now());
		boolean queued = exchange.getRequestHeaders().containsKey(HttpNames.PREFER);
		answer(exchange, queued ? 202 : 201, Map.of());
	}

	/** The first try of an order as a gateway does, the others as a proxy does. */
	private void refuse(HttpExchange exchange, int tries) throws IOException {
		if (tries > 1) {
			answer(exchange, 503, Map.of("title", "try again"));
			return;
		}
		answer(exchange, 503, "application/problem+json",
				Map.of("type", ProblemType.OVERLOADED.type(), "title", ProblemType.OVERLOADED.title(), "status", 503));
	}

	private void audit(HttpExchange exchange) throws IOException {
		if (exchange.getRequestMethod().equals("DELETE")) {
			this.saved.set(ConcurrentHashMap.newKeySet());
			this.lastSavedAt.set(null);
			answer(exchange, 204, null);
			return;
		}
		int count = this.saved.get().size();
		answer(exchange, 200, new BackendAudit(count, count, 0, 0, 0, 0, 1, 1, 0, this.lastSavedAt.get()));
	}

	private static void answer(HttpExchange exchange, int status, @Nullable Object body) throws IOException {
		answer(exchange, status, "application/json", body);
	}

	private static void answer(HttpExchange exchange, int status, String type, @Nullable Object body)
			throws IOException {
		exchange.getResponseHeaders().set("Content-Type", type);
		StubServer.answer(exchange, status, (body != null) ? JsonMapper.shared().writeValueAsString(body) : null);
	}

	@Override
	public void close() {
		this.server.close();
	}

}
