package dev.sluice.lab.drain;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import dev.sluice.lab.kit.statistics.Window;

/**
 * How many orders the backend had saved at which time, as it was asked again and again.
 * Not thread-safe.
 */
final class SavedCurve {

	private final List<Point> points = new ArrayList<>();

	private record Point(Instant time, long saved) {
	}

	/** Adds what was asked last: not before the last time, not fewer than then. */
	void add(Instant time, long saved) {
		if (!this.points.isEmpty()
				&& (this.points.getLast().time().isAfter(time) || this.points.getLast().saved() > saved)) {
			throw new IllegalArgumentException(
					"After %s came %,d saved at %s".formatted(this.points.getLast(), saved, time));
		}
		this.points.add(new Point(time, saved));
	}

	/** How many were saved when it was asked last; 0 before. */
	long saved() {
		return this.points.isEmpty() ? 0 : this.points.getLast().saved();
	}

	/**
	 * The window in which the share of the orders between the two was saved, between the
	 * points nearest to them: start-up and the last stragglers are left out.
	 * @param total all orders
	 * @param from share at its start, 0 to 1
	 * @param to share at its end, 0 to 1
	 * @throws IllegalArgumentException if fewer were saved
	 */
	Rate between(long total, double from, double to) {
		Point start = first(Math.round(total * from));
		Point end = first(Math.round(total * to));
		return new Rate(new Window(start.time(), end.time()), end.saved() - start.saved());
	}

	private Point first(long saved) {
		return this.points.stream()
			.filter((point) -> point.saved() >= saved)
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException(
					"Only %,d orders were saved, not %,d".formatted(saved(), saved)));
	}

	/**
	 * Orders in a window.
	 *
	 * @param window when
	 * @param orders how many
	 */
	record Rate(Window window, long orders) {

		double perSecond() {
			return (this.window.seconds() > 0) ? this.orders / this.window.seconds() : 0;
		}

	}

}
