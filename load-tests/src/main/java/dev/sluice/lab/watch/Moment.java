package dev.sluice.lab.watch;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The figures of one second.
 *
 * @param number number of the second, from 1
 * @param epochMillis time in milliseconds since the epoch
 * @param services states in the order of the targets
 * @param figures figures by {@link Panel#id} and name, without unknown ones
 */
record Moment(long number, long epochMillis, List<State> services, Map<String, Map<String, Double>> figures) {

	/**
	 * Whether a service answered.
	 *
	 * @param problem why it did not answer, in words; null if it did
	 */
	record State(String name, String uri, @Nullable String problem) {
	}

}
