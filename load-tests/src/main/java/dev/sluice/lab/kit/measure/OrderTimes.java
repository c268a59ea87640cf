package dev.sluice.lab.kit.measure;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.ToLongFunction;

import dev.sluice.lab.kit.cell.CellResult.Wait;
import dev.sluice.lab.kit.statistics.Percentile;
import org.jspecify.annotations.Nullable;

/**
 * When the orders of a phase were first tried, accepted and saved. A compressed CSV file
 * keeps them: {@code order,due_us,accepted_us,saved_us}, in microseconds since 1970, 0
 * for what did not happen.
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
	 * @param accepted when its client had the answer that accepts it; 0 if it never did
	 * @param saved when the backend had it; 0 if it never did
	 */
	public record Times(int order, long due, long accepted, long saved) {
	}

	/** The file of a phase. */
	public static Path file(Path outcomes, String phase) {
		return outcomes.resolve(phase + ".orders.csv.gz");
	}

	public void write(Path file) throws IOException {
		GzipCsv.write(file, HEAD, this.orders,
				(times) -> "%s,%s,%s,%s".formatted(times.order(), times.due(), times.accepted(), times.saved()));
	}

	/**
	 * Reads a file.
	 * @throws IOException if it cannot be read or is not such a file
	 */
	public static OrderTimes read(Path file) throws IOException {
		return new OrderTimes(GzipCsv.read(file, HEAD, (fields) -> new Times(Integer.parseInt(fields[0]),
				Long.parseLong(fields[1]), Long.parseLong(fields[2]), Long.parseLong(fields[3]))));
	}

	/**
	 * The waits of the clients from the first try until accepted; null without orders.
	 */
	public @Nullable Wait toAccepted() {
		return wait(Times::accepted);
	}

	/** The waits from the first try until saved; null without orders. */
	public @Nullable Wait toSaved() {
		return wait(Times::saved);
	}

	private @Nullable Wait wait(ToLongFunction<Times> end) {
		if (this.orders.isEmpty()) {
			return null;
		}
		double[] millis = this.orders.stream()
			.filter((times) -> end.applyAsLong(times) > 0)
			.mapToDouble((times) -> Math.max(0, end.applyAsLong(times) - times.due()) / 1_000.0)
			.sorted()
			.toArray();
		return new Wait(this.orders.size(), this.orders.size() - millis.length,
				percentile(millis, this.orders.size(), 50), percentile(millis, this.orders.size(), 95),
				percentile(millis, this.orders.size(), 99));
	}

	/**
	 * A percentile by the nearest rank, where orders that still wait come last; null if
	 * too few are above it, or if the order at the rank still waits.
	 */
	private static @Nullable Double percentile(double[] sorted, int orders, int percent) {
		OptionalLong rank = Percentile.rank(orders, percent);
		return (rank.isPresent() && rank.getAsLong() <= sorted.length)
				? Double.valueOf(sorted[(int) rank.getAsLong() - 1]) : null;
	}

}
