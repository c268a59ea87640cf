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
 * What a rate costs, by measured CPU of an order: for each variant and mode, and each
 * service, from the least to the greatest cell. Load generator and lab are no part of it.
 *
 * @param ordersPerSecond asked for
 * @param utilisation of the cores that is planned for, above 0 and at most 1
 */
record Sizing(double ordersPerSecond, double utilisation) {

	/** What measures is no part of the system. */
	private static final List<String> APART = List.of("load-generator", "lab");

	private static final double MILLIS = 1_000;

	/**
	 * Cores of a service.
	 *
	 * @param cells that tell of it
	 * @param cores by the median cell
	 * @param least by the cheapest cell
	 * @param most by the dearest cell
	 */
	record Need(String variant, String mode, String service, int cells, double cores, double least, double most) {

		/** Instances of so many cores each, by the median cell. */
		long instances(int coresOfAnInstance) {
			return Math.max(1, (long) Math.ceil(this.cores / coresOfAnInstance));
		}

	}

	/** The needs, from cells that can be believed. */
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
