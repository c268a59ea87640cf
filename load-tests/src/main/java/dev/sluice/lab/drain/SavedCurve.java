package dev.sluice.lab.drain;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import dev.sluice.lab.kit.statistics.Window;

/**
 * Number of orders that the backend had saved over time, from repeated readings. Not
 * thread-safe.
 */
final class SavedCurve {

	private final List<Point> points = new ArrayList<>();

	private record Point(Instant time, long saved) {
	}

	/** Adds a reading, which must be no earlier and no smaller than the last one. */
	void add(Instant time, long saved) {
		if (!this.points.isEmpty()
				&& (this.points.getLast().time().isAfter(time) || this.points.getLast().saved() > saved)) {
			throw new IllegalArgumentException(
					"After %s, the backend reported %,d saved at %s".formatted(this.points.getLast(), saved, time));
		}
		this.points.add(new Point(time, saved));
	}

	/** The last reading; 0 if there is none. */
	long saved() {
		return this.points.isEmpty() ? 0 : this.points.getLast().saved();
	}

	/**
	 * The window in which a middle part of the orders was saved, between the nearest
	 * readings. Leaves out start-up and the last stragglers.
	 * @param total number of all orders
	 * @param from share saved at the start of the window, 0 to 1
	 * @param to share saved at the end of the window, 0 to 1
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
	 * @param window the time window
	 * @param orders number of orders saved in it
	 */
	record Rate(Window window, long orders) {

		double perSecond() {
			return (this.window.seconds() > 0) ? this.orders / this.window.seconds() : 0;
		}

	}

}
