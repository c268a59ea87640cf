package dev.sluice.lab.size;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.CellResult.ServiceCost;

/**
 * The cores that a rate needs, by the measured CPU of an order: for each variant, mode
 * and service, from the cheapest to the dearest cell. Excludes load generator and lab.
 *
 * @param ordersPerSecond rate to carry
 * @param utilisation planned utilisation of the cores, above 0 and at most 1
 */
record Sizing(double ordersPerSecond, double utilisation) {

	/** The measuring processes are not part of the system. */
	private static final List<String> APART = List.of("load-generator", "lab");

	private static final double MILLIS = 1_000;

	/**
	 * Cores of a service.
	 *
	 * @param cells number of cells with its CPU
	 * @param cores cores by the median cell
	 * @param least cores by the cheapest cell
	 * @param most cores by the dearest cell
	 */
	record Need(String variant, String mode, String service, int cells, double cores, double least, double most) {

		/** Number of instances of a given size, by the median cell. */
		long instances(int coresOfAnInstance) {
			return Math.max(1, (long) Math.ceil(this.cores / coresOfAnInstance));
		}

	}

	/** The needs, from reliable cells. */
	List<Need> of(List<CellResult> all) {
		List<CellResult> cells = all.stream().filter((cell) -> !Reliability.marked(cell) && cell.saved() > 0).toList();
		List<Need> needs = new ArrayList<>();
		cells.stream()
			.map((cell) -> List.of(cell.cell().variant(), cell.cell().mode()))
			.distinct()
			.sorted(Comparator.comparing(Object::toString))
			.forEach((series) -> {
				List<CellResult> own = cells.stream()
					.filter((cell) -> List.of(cell.cell().variant(), cell.cell().mode()).equals(series))
					.toList();
				own.stream()
					.flatMap((cell) -> cell.services().keySet().stream())
					.filter((service) -> !APART.contains(service))
					.distinct()
					.sorted()
					.forEach((service) -> need(series, service, own).forEach(needs::add));
			});
		return needs;
	}

	private Stream<Need> need(List<String> series, String service, List<CellResult> cells) {
		double[] cores = cells.stream()
			.map((cell) -> cell.services().get(service))
			.filter(Objects::nonNull)
			.map(ServiceCost::cpuMillisPerOrder)
			.filter(Objects::nonNull)
			.mapToDouble((millis) -> millis / MILLIS * this.ordersPerSecond / this.utilisation)
			.sorted()
			.toArray();
		if (cores.length == 0) {
			return Stream.of();
		}
		int middle = cores.length / 2;
		double median = (cores.length % 2 == 1) ? cores[middle] : (cores[middle - 1] + cores[middle]) / 2;
		return Stream.of(new Need(series.getFirst(), series.getLast(), service, cores.length, median, cores[0],
				cores[cores.length - 1]));
	}

}
