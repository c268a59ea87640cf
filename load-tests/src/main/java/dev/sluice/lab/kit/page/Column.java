package dev.sluice.lab.kit.page;

import java.util.function.Function;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * A column of a table: its heading, and what it shows of a row.
 *
 * @param <T> the type of the rows
 * @param heading its name, with the unit
 * @param words whether it holds words, which are aligned left, or figures, which are
 * aligned right
 * @param cell the text of a row's cell
 */
public record Column<T>(String heading, boolean words, Function<T, String> cell) {

	/** Words. */
	public static <T> Column<T> words(String heading, Function<T, String> cell) {
		return new Column<>(heading, true, cell);
	}

	/** Figures that are text already. */
	public static <T> Column<T> figure(String heading, Function<T, String> cell) {
		return new Column<>(heading, false, cell);
	}

	/** Measured figures; null if not measured. */
	public static <T> Column<T> measured(String heading, Function<T, @Nullable Double> figure) {
		return figure(heading, (row) -> Figures.measured(figure.apply(row)));
	}

	/** Measured figures of a part of the row that may be missing. */
	public static <T, P> Column<T> measured(String heading, Function<T, @Nullable P> part,
			Function<P, @Nullable Double> figure) {
		return measured(heading, (row) -> {
			P present = part.apply(row);
			return (present != null) ? figure.apply(present) : null;
		});
	}

	/** Counts; null if unknown. */
	public static <T> Column<T> count(String heading, Function<T, ? extends @Nullable Number> figure) {
		return figure(heading, (row) -> Figures.count(figure.apply(row)));
	}

	/** Shares, 1 is the whole; null if unknown. */
	public static <T> Column<T> percent(String heading, Function<T, @Nullable Double> share) {
		return figure(heading, (row) -> Figures.percent(share.apply(row)));
	}

	/** Sizes in bytes; null if unknown. */
	public static <T> Column<T> bytes(String heading, Function<T, ? extends @Nullable Number> size) {
		return figure(heading, (row) -> Figures.bytes(size.apply(row)));
	}

	/** This column, with a sign after the cells of unreliable rows. */
	public Column<T> marked(Predicate<T> unreliable) {
		return new Column<>(this.heading, this.words,
				(row) -> Reliability.sign(this.cell.apply(row), unreliable.test(row)));
	}

}
