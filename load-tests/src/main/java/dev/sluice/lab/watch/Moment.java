package dev.sluice.lab.watch;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * A second.
 *
 * @param number from 1, one more each second
 * @param epochMillis when
 * @param services in the order of the targets
 * @param figures by {@link Panel#id} and name; what is not known is missing
 */
record Moment(long number, long epochMillis, List<State> services, Map<String, Map<String, Double>> figures) {

	/**
	 * Whether a service answered.
	 *
	 * @param problem why not, in words; null if it did
	 */
	record State(String name, String uri, @Nullable String problem) {
	}

}
