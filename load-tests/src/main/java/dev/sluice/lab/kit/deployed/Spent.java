package dev.sluice.lab.kit.deployed;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import dev.sluice.lab.kit.metrics.Exposition;
import dev.sluice.lab.kit.cell.CellResult.ServiceCost;
import org.jspecify.annotations.Nullable;

/**
 * Resources that services used between two readings. A counter that is missing, or whose
 * process was started in between, is unknown, not zero. The processes of a service are
 * added up.
 *
 * @param before first reading, by service
 * @param after second reading, by service
 */
public record Spent(Map<String, Exposition> before, Map<String, Exposition> after) {

	private static final String STARTED = "process_start_time_seconds";

	private static final double NANOS = 1e9;

	/** The growth of a service's counter; null if it is not known. */
	public @Nullable Double grown(String service, String counter) {
		Exposition first = this.before.get(service);
		Exposition last = this.after.get(service);
		if (first == null || last == null || !starts(first).equals(starts(last))) {
			return null;
		}
		Double from = first.sum(counter);
		Double to = last.sum(counter);
		if (from == null || to == null || to < from) {
			return null;
		}
		return to - from;
	}

	private static List<Double> starts(Exposition exposition) {
		return exposition.of(STARTED).map(Exposition.Series::value).sorted().collect(Collectors.toList());
	}

	/** CPU time of a service, in seconds; null if not known. */
	public @Nullable Double cpuSeconds(String service) {
		Double nanos = grown(service, "process_cpu_time_ns_total");
		return (nanos != null) ? Double.valueOf(nanos / NANOS) : grown(service, "process_cpu_seconds_total");
	}

	/**
	 * The cost of an order at each service whose CPU time is known.
	 * @param orders saved, above 0
	 */
	public Map<String, ServiceCost> perOrder(long orders) {
		Map<String, ServiceCost> costs = new LinkedHashMap<>();
		for (String service : this.after.keySet()) {
			Double cpu = cpuSeconds(service);
			Double pauses = grown(service, "jvm_gc_pause_seconds_count");
			Double paused = grown(service, "jvm_gc_pause_seconds_sum");
			if (cpu != null) {
				costs.put(service, new ServiceCost(cpu * 1_000 / orders, (pauses != null) ? pauses.intValue() : null,
						(paused != null) ? Double.valueOf(paused * 1_000) : null, null, null, null));
			}
		}
		return costs;
	}

}
