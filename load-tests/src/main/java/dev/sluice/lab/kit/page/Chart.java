package dev.sluice.lab.kit.page;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.IntStream;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonTypeName;
import org.jspecify.annotations.Nullable;

/**
 * The data of a chart, drawn by {@code report.js}. A {@code style} is an index into the
 * page's colours and point shapes, so that a variant looks the same in every chart; -1 is
 * grey, for data shown for comparison. Charts and panels of a page with the same
 * {@code axis} end at the same value, for readers to compare them; null is an axis of its
 * own.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
public sealed interface Chart {

	String title();

	/**
	 * Lines over the load, on a logarithmic axis that is labelled as such.
	 *
	 * @param whiskers what the points' whiskers span, in words; empty if there are none
	 * @param ratio whether the values are ratios; their axis is then logarithmic and
	 * includes 1
	 * @param loads values of the x axis, from first to last, the same for charts to be
	 * compared
	 */
	@JsonTypeName("lines")
	record Lines(String title, String xName, String yName, String whiskers, boolean ratio, @Nullable String axis,
			List<Integer> loads, List<Line> lines) implements Chart {
	}

	record Line(String name, int style, boolean dashed, List<Point> points) {
	}

	/**
	 * One point.
	 *
	 * @param low where its whisker begins
	 * @param high where its whisker ends; it has none if that is no more than {@code low}
	 * @param marked whether it is unreliable
	 * @param failedShare share of its calls that failed, 0 to 1
	 */
	record Point(double x, double y, double low, double high, boolean marked, double failedShare) {

		/** A point without a whisker or failures. */
		public static Point at(double x, double y, boolean marked) {
			return new Point(x, y, y, y, marked, 0);
		}

	}

	/**
	 * Panels one above the other on one axis of seconds.
	 *
	 * @param seconds length of the axis
	 * @param spans what happened during that time, in lanes above the panels; may be
	 * empty
	 */
	@JsonTypeName("seconds")
	record Seconds(String title, int seconds, List<Panel> panels, List<Span> spans) implements Chart {

		/** A line for each second, a column for each panel. */
		Table data() {
			List<Column<Integer>> columns = new ArrayList<>(List.of(Column.count("second", (second) -> second + 1)));
			this.panels.forEach((panel) -> columns.add(Column.figure(panel.name(), (second) -> figure(panel, second))));
			return Table.of(this.title, IntStream.range(0, this.seconds).boxed().toList(), columns);
		}

		private static String figure(Panel panel, int second) {
			Double value = (second < panel.values().size()) ? panel.values().get(second) : null;
			return (value != null && value == Math.rint(value)) ? Figures.count(value) : Figures.measured(value);
		}

	}

	/**
	 * A named interval.
	 *
	 * @param lane the row it is drawn in; rows are in the order of their first spans
	 * @param name written on it where there is room
	 * @param from in seconds
	 * @param to in seconds
	 */
	record Span(String lane, String name, int style, double from, double to) {
	}

	/**
	 * One panel.
	 *
	 * @param name name with the unit
	 * @param form {@code area}, {@code bars} or {@code line}
	 * @param logarithmic whether the axis is; it then starts at 1
	 * @param values a value for each second, null where none was sampled
	 */
	record Panel(String name, int style, String form, boolean logarithmic, @Nullable String axis,
			List<@Nullable Double> values) {

		/** A figure of each second, with an axis of its own. */
		public static <T> Panel of(String name, int style, String form, List<T> seconds,
				Function<T, ? extends @Nullable Number> figure) {
			List<@Nullable Double> values = new ArrayList<>();
			for (T second : seconds) {
				Number value = figure.apply(second);
				values.add((value != null) ? value.doubleValue() : null);
			}
			return new Panel(name, style, form, false, null, values);
		}

		public Panel onLogarithmicAxis() {
			return new Panel(this.name, this.style, this.form, true, this.axis, this.values);
		}

		public Panel onAxis(String shared) {
			return new Panel(this.name, this.style, this.form, this.logarithmic, shared, this.values);
		}

	}

	/** Stacked bars, one for each row, with the sum at the end. */
	@JsonTypeName("stack")
	record Stack(String title, String xName, @Nullable String axis, List<String> parts,
			List<StackRow> rows) implements Chart {

		/** Bars of one part, with an axis of their own. */
		public static <T> Stack of(String title, String unit, List<T> rows, Function<T, String> name,
				Predicate<T> marked, Function<T, @Nullable Double> figure) {
			return new Stack(title, unit, null, List.of(unit),
					rows.stream()
						.map((row) -> new StackRow(name.apply(row), marked.test(row),
								Collections.singletonList(figure.apply(row))))
						.toList());
		}

	}

	/**
	 * One bar.
	 *
	 * @param values one for each part, null where it was not measured
	 */
	record StackRow(String name, boolean marked, List<@Nullable Double> values) {
	}

}
