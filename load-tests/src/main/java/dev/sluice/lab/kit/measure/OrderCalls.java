package dev.sluice.lab.kit.measure;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.IntFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

import dev.sluice.lab.kit.cell.CellResult.Wait;
import dev.sluice.lab.kit.cell.Timing;
import dev.sluice.lab.kit.measure.OrderCalls.OrderTimes.Times;
import dev.sluice.lab.kit.plan.Phase;
import org.jspecify.annotations.Nullable;

/**
 * The calls of a phase, as its simulation notes them: a compressed CSV file
 * {@code order,due_us,sent_us,ended_us,result} with the times in microseconds since 1970.
 *
 * @param calls in the order they ended
 */
public record OrderCalls(List<Call> calls) {

	/** The result of a call whose connection failed, or that took too long. */
	public static final String NO_ANSWER = "no answer";

	private static final String CREATED = "201";

	private static final String ACCEPTED = "202";

	private static final String HEAD = "order,due_us,sent_us,ended_us,result";

	public OrderCalls {
		calls = List.copyOf(calls);
	}

	/**
	 * A call of {@code POST /orders}. Times are in microseconds since 1970.
	 *
	 * @param order the order's number
	 * @param due when the order was due, on schedule or when a user began it
	 * @param sent when the request was sent
	 * @param ended when it was answered or failed
	 * @param result {@code 201} or {@code 202} if the order was accepted; else the cause
	 * of the failure, such as {@code HTTP 503 overloaded}
	 */
	public record Call(int order, long due, long sent, long ended, String result) {

		/**
		 * The result of a call.
		 * @param status of the answer; null if there was none
		 * @param type of the problem document, a URI, of which the last part counts; null
		 * without one
		 */
		public static String result(@Nullable Integer status, @Nullable String type) {
			if (status == null) {
				return NO_ANSWER;
			}
			if (status == 201) {
				return CREATED;
			}
			if (status == 202) {
				return ACCEPTED;
			}
			String problem = (type == null || type.equals("about:blank")) ? ""
					: type.substring(1 + Math.max(type.lastIndexOf(':'), type.lastIndexOf('/')));
			return ("HTTP " + status + " " + problem).strip();
		}

		public boolean ok() {
			return this.result.equals(CREATED) || this.result.equals(ACCEPTED);
		}

		public Instant start() {
			return Instant.EPOCH.plus(this.sent, ChronoUnit.MICROS);
		}

		public Instant end() {
			return Instant.EPOCH.plus(this.ended, ChronoUnit.MICROS);
		}

		/** How long it took, in milliseconds. */
		public long millis() {
			return (this.ended - this.sent + 500) / 1_000;
		}

	}

	/**
	 * When the orders of a phase were first tried, accepted and saved. A compressed CSV
	 * file keeps them: {@code order,due_us,accepted_us,saved_us}, in microseconds since
	 * 1970, 0 for what did not happen.
	 *
	 * @param orders in no particular order
	 */
	public record OrderTimes(List<Times> orders) {

		private static final String HEAD = "order,due_us,accepted_us,saved_us";

		public OrderTimes {
			orders = List.copyOf(orders);
		}

		/**
		 * An order's times, in microseconds since 1970.
		 *
		 * @param order its number
		 * @param due when its client first wanted to place it
		 * @param accepted when its client had the answer that accepts it; 0 if never
		 * @param saved when the backend had it; 0 if never
		 */
		public record Times(int order, long due, long accepted, long saved) {
		}

		public void write(Path file) throws IOException {
			GzipCsv.write(file, HEAD, this.orders,
					(times) -> "%s,%s,%s,%s".formatted(times.order(), times.due(), times.accepted(), times.saved()));
		}

		/** The clients' waits from the first try until accepted; null without orders. */
		public @Nullable Wait toAccepted() {
			return wait(Times::accepted);
		}

		/** The waits from the first try until saved; null without orders. */
		public @Nullable Wait toSaved() {
			return wait(Times::saved);
		}

		private @Nullable Wait wait(ToLongFunction<Times> end) {
			int all = this.orders.size();
			// Those that still wait come last.
			double[] millis = this.orders.stream()
				.filter((times) -> end.applyAsLong(times) > 0)
				.mapToDouble((times) -> Math.max(0, end.applyAsLong(times) - times.due()) / 1_000.0)
				.sorted()
				.toArray();
			return (all == 0) ? null : new Wait(all, all - millis.length, Timing.percentile(millis, all, 50),
					Timing.percentile(millis, all, 95), Timing.percentile(millis, all, 99));
		}

	}

	/**
	 * Writes calls to a file.
	 * @throws IOException if it cannot be written
	 */
	public static void write(Path file, Collection<Call> calls) throws IOException {
		GzipCsv.write(file, HEAD, calls, (call) -> call.order() + "," + call.due() + "," + call.sent() + ","
				+ call.ended() + "," + call.result());
	}

	/**
	 * Reads a file.
	 * @throws IOException if it cannot be read or is not such a file
	 */
	public static OrderCalls read(Path file) throws IOException {
		return new OrderCalls(GzipCsv.read(file, HEAD, (fields) -> new Call(Integer.parseInt(fields[0]),
				Long.parseLong(fields[1]), Long.parseLong(fields[2]), Long.parseLong(fields[3]), fields[4])));
	}

	/** The calls that were answered 201 or 202. */
	public List<Call> answered() {
		return this.calls.stream().filter(Call::ok).toList();
	}

	/** The number of failed calls by cause. */
	public Map<String, Long> failures() {
		return this.calls.stream()
			.filter((call) -> !call.ok())
			.collect(Collectors.groupingBy(Call::result, TreeMap::new, Collectors.counting()));
	}

	/**
	 * How long the calls took that were answered 201 or 202, in microseconds, to the
	 * millisecond.
	 */
	public int[] answeredMicros() {
		return this.calls.stream()
			.filter(Call::ok)
			.mapToInt((call) -> Math.toIntExact(call.millis() * 1_000))
			.toArray();
	}

	/** When the first request was sent. */
	public Instant start(Instant otherwise) {
		return this.calls.stream().map(Call::start).min(Instant::compareTo).orElse(otherwise);
	}

	/**
	 * When each order was due, accepted and saved.
	 * @param ids the orders' ids by number
	 * @param savedMicros times by order id, in microseconds since 1970
	 */
	public OrderTimes times(IntFunction<UUID> ids, Map<UUID, Long> savedMicros) {
		Map<Integer, Call> last = new HashMap<>();
		this.calls.forEach((call) -> last.put(call.order(), call));
		return new OrderTimes(last.values()
			.stream()
			.map((call) -> new Times(call.order(), call.due(), call.ok() ? call.ended() : 0,
					savedMicros.getOrDefault(ids.apply(call.order()), 0L)))
			.toList());
	}

	/**
	 * How late 99 % of the orders were at most that were due on schedule or with the
	 * first one, in milliseconds; with too few orders for a percentile, all of them.
	 */
	public int startLagP99Millis(Phase phase) {
		boolean scheduled = phase.client().perSecond() > 0;
		long first = this.calls.stream().mapToLong(Call::sent).min().orElse(0);
		Map<Integer, Long> late = new HashMap<>();
		for (Call call : this.calls) {
			if (scheduled || !phase.extent().isTimed() && call.order() < phase.client().users()) {
				late.merge(call.order(), call.sent() - (scheduled ? call.due() : first), Math::min);
			}
		}
		Timing lag = Timing
			.of(late.values().stream().mapToInt((micros) -> Math.clamp(micros, 0, Integer.MAX_VALUE)).toArray());
		return (lag != null) ? (int) lag.p99AtMost() : 0;
	}

}
