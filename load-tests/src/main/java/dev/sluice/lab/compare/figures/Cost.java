package dev.sluice.lab.compare.figures;

import java.util.Comparator;
import java.util.List;

import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.CellResult.ServiceCost;
import dev.sluice.lab.kit.measure.CellEvaluation;
import dev.sluice.lab.kit.result.RunResult;
import org.jspecify.annotations.Nullable;

/**
 * What the orders of a series cost at one load, over all repetitions: sums divided by the
 * number of orders saved. Null where no repetition has the figure.
 *
 * @param services of the whole run, the gateway first
 */
public record Cost(CellGroup group, List<String> services) {

	public static final String GATEWAY = "gateway";

	private static final List<String> ORDER = List.of(GATEWAY, "consumer", "backend");

	/** The measuring processes are not part of an order's cost. */
	private static final List<String> EXCLUDED = List.of(CellEvaluation.LOAD_GENERATOR, CellEvaluation.LAB);

	/** The costs of all series, each at the load that is shown in detail. */
	public static List<Cost> of(RunResult run) {
		List<String> services = services(run);
		return CellGroup.inDetail(CellGroup.of(run)).stream().map((group) -> new Cost(group, services)).toList();
	}

	/**
	 * The services of a run: gateway, consumer, backend, then the others by name, the
	 * measuring processes last.
	 */
	private static List<String> services(RunResult run) {
		return run.cells()
			.stream()
			.flatMap((cell) -> cell.services().keySet().stream())
			.distinct()
			.sorted(Comparator.comparingInt(Cost::rank).thenComparing(Comparator.naturalOrder()))
			.toList();
	}

	private static int rank(String service) {
		for (int i = 0; i < ORDER.size(); i++) {
			if (service.contains(ORDER.get(i))) {
				return i;
			}
		}
		return ORDER.size() + (isOfSystem(service) ? 0 : 1);
	}

	/**
	 * Whether a service's CPU time is part of an order's cost. The load generator's and
	 * the lab's are not.
	 */
	public static boolean isOfSystem(String service) {
		return !EXCLUDED.contains(service);
	}

	/** CPU time of a service for an order, in milliseconds: the mean over all orders. */
	public @Nullable Double cpuMillis(String service) {
		double sum = 0;
		long saved = 0;
		for (CellResult cell : this.group.cells()) {
			ServiceCost cost = cell.services().get(service);
			if (cost != null && cost.cpuMillisPerOrder() != null) {
				sum += cost.cpuMillisPerOrder() * cell.saved();
				saved += cell.saved();
			}
		}
		return (saved > 0) ? sum / saved : null;
	}

	/**
	 * CPU time of the whole system for an order, in milliseconds; null if that of a
	 * service is unknown.
	 */
	public @Nullable Double systemCpuMillis() {
		double sum = 0;
		for (String service : this.services) {
			Double millis = isOfSystem(service) ? cpuMillis(service) : Double.valueOf(0);
			if (millis == null) {
				return null;
			}
			sum += millis;
		}
		return this.services.isEmpty() ? null : sum;
	}

	/**
	 * CPU time of the whole system for an order of a cell, in milliseconds; null if that
	 * of a service is unknown.
	 */
	static @Nullable Double systemCpuMillis(CellResult cell) {
		return new Cost(new CellGroup(List.of(cell)), List.copyOf(cell.services().keySet())).systemCpuMillis();
	}

}
