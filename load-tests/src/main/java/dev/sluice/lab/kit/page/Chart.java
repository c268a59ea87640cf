package dev.sluice.lab.kit.page;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonTypeName;
import org.jspecify.annotations.Nullable;

/**
 * The data of a chart, drawn by {@code report.js}. A {@code style} is an index into the
 * page's colours and point shapes, so that a variant looks the same in every chart; -1 is
 * grey, for data shown for comparison.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
public sealed interface Chart {

	String title();

	/** A sentence or two for readers who cannot see the chart. */
	String description();

	/** In pixels. */
	int height();

	/** The greatest of some values, and at least 1: the top of an axis. */
	static double top(Stream<@Nullable Double> values) {
		return values.filter(Objects::nonNull).mapToDouble(Double::doubleValue).reduce(1, Math::max);
	}

	/**
	 * Lines over the load, on a logarithmic axis that is labelled as such.
	 *
	 * @param whiskers what the points' whiskers span, in words; empty if there are none
	 * @param yMax the top of the axis, the same for charts to be compared
	 * @param ratio whether the values are ratios; their axis is then logarithmic and
	 * includes 1
	 * @param loads values of the x axis, from first to last, the same for charts to be
	 * compared
	 */
	@JsonTypeName("lines")
	record Lines(String title, String description, int height, String xName, String yName, String whiskers, double yMax,
			boolean ratio, List<Integer> loads, List<Line> lines) implements Chart {

		/** Lines whose value axis begins at 0. */
		public Lines(String title, String description, int height, String xName, String yName, String whiskers,
				double yMax, List<Integer> loads, List<Line> lines) {
			this(title, description, height, xName, yName, whiskers, yMax, false, loads, lines);
		}

	}

	record Line(String name, int style, boolean dashed, List<Point> points) {

		/** The greatest value of some lines, and at least 1. */
		public static double top(List<Line> lines) {
			return Chart.top(lines.stream().flatMap((line) -> line.points().stream()).map(Point::y));
		}

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
	record Seconds(String title, String description, int height, int seconds, List<Panel> panels,
			List<Span> spans) implements Chart {

		private static final int PANEL_HEIGHT = 128;

		private static final int LANE_HEIGHT = 20;

		private static final int FRAME_HEIGHT = 50;

		/** As high as its panels and lanes need. */
		public static Seconds of(String title, String description, int seconds, List<Panel> panels, List<Span> spans) {
			long lanes = spans.stream().map(Span::lane).distinct().count();
			return new Seconds(title, description,
					(int) (panels.size() * PANEL_HEIGHT + lanes * LANE_HEIGHT + FRAME_HEIGHT), seconds, panels, spans);
		}

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
	 * @param max the top of the axis
	 * @param values a value for each second, null where none was sampled
	 */
	record Panel(String name, int style, String form, boolean logarithmic, double max, List<@Nullable Double> values) {

		/** A figure of each second, with an axis of its own. */
		public static <T> Panel of(String name, int style, String form, List<T> seconds,
				Function<T, ? extends @Nullable Number> figure) {
			List<@Nullable Double> values = new ArrayList<>();
			for (T second : seconds) {
				Number value = figure.apply(second);
				values.add((value != null) ? value.doubleValue() : null);
			}
			return new Panel(name, style, form, false, top(values.stream()), values);
		}

		public Panel onLogarithmicAxis() {
			return new Panel(this.name, this.style, this.form, true, this.max, this.values);
		}

		/** This panel with another top, for panels to be compared. */
		public Panel upTo(double top) {
			return new Panel(this.name, this.style, this.form, this.logarithmic, top, this.values);
		}

	}

	/**
	 * Stacked bars, one for each row, with the sum at the end.
	 *
	 * @param xMax the end of the axis, the same for charts to be compared
	 */
	@JsonTypeName("stack")
	record Stack(String title, String description, int height, String xName, double xMax, List<String> parts,
			List<StackRow> rows) implements Chart {

		private static final int ROW_HEIGHT = 32;

		private static final int FRAME_HEIGHT = 84;

		/** As high as its bars need. */
		public static Stack of(String title, String description, String xName, double xMax, List<String> parts,
				List<StackRow> rows) {
			return new Stack(title, description, FRAME_HEIGHT + ROW_HEIGHT * rows.size(), xName, xMax, parts, rows);
		}

	}

	/**
	 * One bar.
	 *
	 * @param values one for each part, null where it was not measured
	 */
	record StackRow(String name, int style, boolean marked, List<@Nullable Double> values) {

		/** A bar of one part. */
		public static StackRow of(String name, int style, boolean marked, @Nullable Double value) {
			List<@Nullable Double> values = new ArrayList<>();
			values.add(value);
			return new StackRow(name, style, marked, values);
		}

	}

}
