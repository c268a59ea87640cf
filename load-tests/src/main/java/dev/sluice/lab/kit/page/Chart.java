package dev.sluice.lab.kit.page;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonTypeName;
import org.jspecify.annotations.Nullable;

/**
 * What a chart shows; {@code report.js} knows how. A {@code style} is an index into the
 * page's colours and point shapes, so that a variant looks the same in every chart; -1 is
 * the grey of what is there for comparison.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
public sealed interface Chart {

	String title();

	/**
	 * In words, for those who do not see it.
	 * @return a sentence or two
	 */
	String description();

	/**
	 * How high it is drawn.
	 * @return in pixels
	 */
	int height();

	/**
	 * Below this width it scrolls.
	 * @return in pixels
	 */
	int width();

	/**
	 * Lines over the load, on a logarithmic axis, which says so.
	 *
	 * @param whiskers what the points' whiskers reach from and to; empty if they have
	 * none
	 * @param yMax the top of the axis, the same for charts to be compared
	 * @param ratio whether values are multiples of something: their axis is logarithmic
	 * then, with 1 on it
	 * @param loads the other axis, from the first to the last, likewise
	 */
	@JsonTypeName("lines")
	record Lines(String title, String description, int height, int width, String xName, String yName, String whiskers,
			double yMax, boolean ratio, List<Integer> loads, List<Line> lines) implements Chart {

		/** Of values that begin at 0. */
		public Lines(String title, String description, int height, int width, String xName, String yName,
				String whiskers, double yMax, List<Integer> loads, List<Line> lines) {
			this(title, description, height, width, xName, yName, whiskers, yMax, false, loads, lines);
		}

	}

	record Line(String name, int style, List<Point> points) {
	}

	/**
	 * One point.
	 *
	 * @param low where its whisker begins
	 * @param high where its whisker ends; it has none if that is no more than {@code low}
	 * @param marked whether it is unreliable
	 * @param failedShare of the calls behind it, 0 to 1
	 */
	record Point(double x, double y, double low, double high, boolean marked, double failedShare) {

		/** Without a whisker or failures. */
		public static Point at(double x, double y, boolean marked) {
			return new Point(x, y, y, y, marked, 0);
		}

	}

	/**
	 * Percentiles as dots in a row for each name, on a logarithmic axis of milliseconds;
	 * one that is null is left out.
	 */
	@JsonTypeName("spread")
	record Spread(String title, String description, int height, int width, double min, double max,
			List<SpreadRow> rows) implements Chart {
	}

	record SpreadRow(String name, int style, boolean marked, @Nullable Double p50, @Nullable Double p95,
			@Nullable Double p99, @Nullable Double max) {
	}

	/**
	 * Panels one above the other on one axis of seconds.
	 *
	 * @param seconds how many
	 * @param spans what went on meanwhile, in lanes above the panels; may be none
	 */
	@JsonTypeName("seconds")
	record Seconds(String title, String description, int height, int width, int seconds, List<Panel> panels,
			List<Span> spans) implements Chart {
	}

	/**
	 * A length of time with a name.
	 *
	 * @param lane the row it is drawn in; rows are in the order of their first spans
	 * @param name what it is, written on it where there is room
	 * @param from in seconds
	 * @param to in seconds
	 */
	record Span(String lane, String name, int style, double from, double to) {
	}

	/**
	 * One panel.
	 *
	 * @param name with the unit
	 * @param form {@code area}, {@code bars} or {@code line}
	 * @param logarithmic whether the axis is; it then starts at 1
	 * @param max the top of the axis
	 * @param values one for each second, null where none was sampled
	 */
	record Panel(String name, int style, String form, boolean logarithmic, double max, List<@Nullable Double> values) {
	}

	/**
	 * Bars made of parts, a bar for each row, the sum at its end.
	 *
	 * @param xMax the end of the axis, the same for charts to be compared
	 */
	@JsonTypeName("stack")
	record Stack(String title, String description, int height, int width, String xName, double xMax, List<String> parts,
			List<StackRow> rows) implements Chart {
	}

	/**
	 * One bar.
	 *
	 * @param values one for each part, null where it was not measured
	 */
	record StackRow(String name, int style, boolean marked, List<@Nullable Double> values) {
	}

	/**
	 * A figure over runs, and the levels that it had.
	 *
	 * @param runs their names, in the order of time
	 * @param points one for each run; {@code x} is its place from 0
	 * @param levels one after the other; a change lies between two
	 */
	@JsonTypeName("steps")
	record Steps(String title, String description, int height, int width, String yName, List<String> runs,
			List<Point> points, List<Level> levels) implements Chart {
	}

	/**
	 * A level.
	 *
	 * @param from its first run
	 * @param to its last
	 */
	record Level(int from, int to, double value) {
	}

}
