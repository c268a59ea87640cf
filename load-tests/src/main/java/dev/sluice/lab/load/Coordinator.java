package dev.sluice.lab.load;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import com.google.errorprone.annotations.ThreadSafe;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.sluice.lab.kit.stack.LabException;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Starts all parts of a load at the same time and collects their reports. Parts use it
 * over HTTP: {@code GET /clock}, {@code POST /join?part=2/5}, which is answered when all
 * have joined, and {@code POST /report?part=2/5}. A part whose answer was lost may repeat
 * a request: the body of {@code /join} names the process. It has no access control, so it
 * belongs in a trusted network.
 */
@ThreadSafe
final class Coordinator implements AutoCloseable {

	/** Enough for the seconds of a day and two histograms. */
	private static final int MAX_REPORT_BYTES = 32 * 1024 * 1024;

	private static final int MAX_PROCESS_BYTES = 100;

	private static final int BACKLOG = Part.MAX;

	/** Time to finish answers that have begun when the coordinator ends. */
	private static final int ANSWER_SECONDS = 5;

	private static final String OWN_PROCESS = "coordinator";

	private final int parts;

	private final Duration joinTimeout;

	private final LongFunction<Plan> plans;

	private final HttpServer server;

	private final ExecutorService handlers = Executors.newVirtualThreadPerTaskExecutor();

	private final CountDownLatch unreported;

	@GuardedBy("this")
	private final Map<Integer, String> joined = new TreeMap<>();

	@GuardedBy("this")
	private final Map<Integer, PartReport> reports = new TreeMap<>();

	/** Completed when all have joined, or when the coordinator ends. */
	private final CompletableFuture<Plan> plan = new CompletableFuture<>();

	/**
	 * Listens for the other parts; this process is a part, too.
	 * @param parts number of parts
	 * @param joinTimeout time for all of them to join
	 * @param plans makes the plan from the time at which all have joined, by
	 * {@link System#nanoTime()}
	 */
	Coordinator(InetSocketAddress address, int parts, Duration joinTimeout, LongFunction<Plan> plans) {
		this.parts = parts;
		this.joinTimeout = joinTimeout;
		this.plans = plans;
		this.unreported = new CountDownLatch(parts);
		try {
			this.server = HttpServer.create(address, BACKLOG);
		}
		catch (IOException ex) {
			throw new LabException("--listen %s: %s".formatted(address, ex.getMessage()), ex);
		}
		this.server.setExecutor(this.handlers);
		this.server.createContext("/clock", (exchange) -> answer(exchange, 200, Long.toString(System.nanoTime())));
		this.server.createContext("/join", (exchange) -> serve(exchange, this::join));
		this.server.createContext("/report", (exchange) -> serve(exchange, this::report));
		this.server.start();
	}

	InetSocketAddress address() {
		return this.server.getAddress();
	}

	/**
	 * Joins as the part that this process sends, waits until all parts have joined, and
	 * returns the plan.
	 * @throws LabException if some have not joined within the time limit
	 */
	Plan join(int part) throws InterruptedException {
		return join(part, OWN_PROCESS);
	}

	private Plan join(int part, String process) throws InterruptedException {
		synchronized (this) {
			if (!process.equals(this.joined.computeIfAbsent(part, (_) -> process))) {
				throw new LabException("Part %d of this load has joined already".formatted(part));
			}
			if (this.joined.size() == this.parts && !this.plan.isDone()) {
				this.plan.complete(this.plans.apply(System.nanoTime()));
			}
		}
		try {
			return this.plan.get(this.joinTimeout.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (TimeoutException ex) {
			throw new LabException("Of %d parts, these have not joined within %d s: %s".formatted(this.parts,
					this.joinTimeout.toSeconds(), without(joined())), ex);
		}
		catch (CancellationException | ExecutionException ex) {
			throw new LabException("The coordinator ends", ex);
		}
	}

	/**
	 * Keeps a part's first report and ignores further ones.
	 * @throws LabException if the part has not joined
	 */
	synchronized void report(PartReport report) {
		if (!this.joined.containsKey(report.part())) {
			throw new LabException("Part %d of this load has not joined".formatted(report.part()));
		}
		if (this.reports.putIfAbsent(report.part(), report) == null) {
			this.unreported.countDown();
		}
	}

	/**
	 * Waits for the reports.
	 * @param timeout time limit for all of them
	 * @return the reports that have arrived, by part
	 */
	List<PartReport> reports(Duration timeout) throws InterruptedException {
		this.unreported.await(timeout.toMillis(), TimeUnit.MILLISECONDS);
		synchronized (this) {
			return new ArrayList<>(this.reports.values());
		}
	}

	/** The parts that are missing in a list, as text. */
	String without(Iterable<Integer> some) {
		TreeSet<Integer> others = IntStream.rangeClosed(1, this.parts)
			.boxed()
			.collect(Collectors.toCollection(TreeSet::new));
		some.forEach(others::remove);
		return others.stream().map(String::valueOf).collect(Collectors.joining(", "));
	}

	/** The parts that have joined. */
	synchronized List<Integer> joined() {
		return new ArrayList<>(this.joined.keySet());
	}

	private String join(Part part, HttpExchange exchange) throws IOException, InterruptedException {
		String process = new String(exchange.getRequestBody().readNBytes(MAX_PROCESS_BYTES), StandardCharsets.UTF_8);
		return JsonMapper.shared().writeValueAsString(join(part.number(), process));
	}

	private String report(Part part, HttpExchange exchange) throws IOException {
		byte[] body = exchange.getRequestBody().readNBytes(MAX_REPORT_BYTES + 1);
		if (body.length > MAX_REPORT_BYTES) {
			throw new LabException("This report is longer than %,d bytes".formatted(MAX_REPORT_BYTES));
		}
		PartReport report = JsonMapper.shared().readValue(body, PartReport.class);
		if (report.part() != part.number()) {
			throw new LabException("This is the report of another part");
		}
		report(report);
		return "{}";
	}

	private void serve(HttpExchange exchange, Handler handler) throws IOException {
		try {
			Part part = Part.parse(String.valueOf(exchange.getRequestURI().getQuery()).replaceFirst("^part=", ""));
			if (part.of() != this.parts) {
				throw new LabException("This load has %d parts, not %d".formatted(this.parts, part.of()));
			}
			answer(exchange, 200, handler.answer(part, exchange));
		}
		catch (LabException | IllegalArgumentException | JacksonException ex) {
			answer(exchange, 409, String.valueOf(ex.getMessage()));
		}
		catch (InterruptedException ex) {
			answer(exchange, 503, "The coordinator ends");
		}
	}

	private static void answer(HttpExchange exchange, int status, String text) throws IOException {
		byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
		exchange.sendResponseHeaders(status, bytes.length);
		try (exchange) {
			exchange.getResponseBody().write(bytes);
		}
	}

	/**
	 * Stops listening, refuses the parts that still wait, and finishes the answers that
	 * have begun: all reports have arrived before the last one is answered.
	 */
	@Override
	public void close() {
		this.plan.cancel(false);
		this.server.stop(ANSWER_SECONDS);
		this.handlers.shutdownNow();
	}

	@FunctionalInterface
	private interface Handler {

		String answer(Part part, HttpExchange exchange) throws IOException, InterruptedException;

	}

}
