package dev.sluice.lab.watch;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** The moments of the last ten minutes. Thread-safe. */
final class History {

	/** Ten minutes. */
	static final int MAX_READINGS = 600;

	private final Deque<Moment> moments = new ArrayDeque<>();

	synchronized void add(Moment moment) {
		if (this.moments.size() == MAX_READINGS) {
			this.moments.removeFirst();
		}
		this.moments.addLast(moment);
	}

	/** The moments with a greater number, the earliest first. */
	synchronized List<Moment> after(long number) {
		return this.moments.stream().filter((moment) -> moment.number() > number).toList();
	}

}
