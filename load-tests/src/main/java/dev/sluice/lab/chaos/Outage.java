package dev.sluice.lab.chaos;

import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/** How long clients saw no accepted order. */
final class Outage {

	private Outage() {
	}

	/**
	 * The longest time without an accepted order, from a fault's beginning until the
	 * first order accepted after its end.
	 * @param acceptedMillis when orders were accepted, sorted
	 * @param beganMillis when the fault began
	 * @param healedMillis when the fault ended
	 * @return the time in milliseconds; null if no order was accepted after the fault's
	 * end
	 */
	static @Nullable Long longest(int[] acceptedMillis, long beganMillis, long healedMillis) {
		long longest = 0;
		long previous = beganMillis;
		int found = Arrays.binarySearch(acceptedMillis, Math.toIntExact(beganMillis));
		for (int i = (found >= 0) ? found : -found - 1; i < acceptedMillis.length; i++) {
			longest = Math.max(longest, acceptedMillis[i] - previous);
			previous = acceptedMillis[i];
			if (previous >= healedMillis) {
				return longest;
			}
		}
		return null;
	}

}
