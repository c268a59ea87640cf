package dev.sluice.lab.compare;

import java.util.List;
import java.util.stream.Stream;

import dev.sluice.contract.BackendBehaviour;
import dev.sluice.contract.BackendBehaviour.Delay;
import dev.sluice.lab.compare.ComparePlan.Gateway;
import dev.sluice.lab.compare.ComparePlan.Sweep;
import dev.sluice.lab.compare.page.GridPage;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.plan.BackendModel;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.plan.Phase.Client;
import dev.sluice.lab.kit.plan.Phase.Settling;
import dev.sluice.lab.kit.run.LengthOptions.Length;
import dev.sluice.lab.kit.stack.Variant;

/**
 * The comparison of {@code lab grid}: gateways that wait for a backend, by its delay and
 * the requests in flight.
 *
 * @param gateways one of them twice, with a small pool and with the usual one
 * @param delays of the backend, in milliseconds
 * @param concurrencies requests in flight
 * @param cellMillis time for which each cell's requests are sent, in milliseconds
 * @param length how much of the experiment that is
 */
record GridPlan(List<Gateway> gateways, List<Long> delays, List<Integer> concurrencies, long cellMillis,
		Length length) {

	private static final List<Long> DELAYS = List.of(0L, 100L, 250L, 500L);

	private static final long DEADLINE_MILLIS = 60_000;

	/** Seed for the order of its cells, the same each time. */
	private static final long SEED = 1;

	GridPlan {
		gateways = List.copyOf(gateways);
		delays = List.copyOf(delays);
		concurrencies = List.copyOf(concurrencies);
	}

	/**
	 * The smallest has a cell of the small pool and one of a gateway that does not block.
	 */
	static GridPlan of(Length length) {
		return switch (length) {
			case SMALLEST ->
				new GridPlan(List.of(all().getFirst(), all().getLast()), List.of(100L), List.of(20), 1_000, length);
			case QUICK -> new GridPlan(all(), DELAYS, List.of(10, 50, 100), 2_000, length);
			case WHOLE -> new GridPlan(all(), DELAYS, List.of(10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 200, 500, 1_000),
					5_000, length);
		};
	}

	private static List<Gateway> all() {
		Gateway usual = Gateway.of(Variant.SERVLET_PLATFORM);
		Gateway small = new Gateway(GridPage.SMALL_POOL, usual.variant(),
				usual.options()
					.withProperty("server.tomcat.threads.max", GridPage.SMALL_POOL_THREADS)
					.withProperty("server.tomcat.threads.min-spare", GridPage.SMALL_POOL_THREADS));
		return Stream.concat(Stream.of(small), Stream.of(Variant.values()).map(Gateway::of)).toList();
	}

	ComparePlan plan() {
		return ComparePlan.of(new Sweep(this.gateways, List.of(Mode.SYNC), backends(), Load.Kind.IN_FLIGHT,
				this.concurrencies, 1, SEED, true));
	}

	CompareExperiment.Settings settings() {
		CellLoad smallest = CellLoad.smallest(Load.Kind.IN_FLIGHT);
		Settling settling = (this.length == Length.SMALLEST) ? smallest.settling() : Settling.WHOLE;
		CellLoad load = new CellLoad(Load.Kind.IN_FLIGHT, smallest.users(), Client.ITEMS, this.cellMillis, 1,
				DEADLINE_MILLIS, settling, 0);
		return new CompareExperiment.Settings(GridPage.NAME, backends(), load, "384m", "-XX:+UseG1GC", 0, this.length,
				true);
	}

	private List<BackendModel> backends() {
		return this.delays.stream()
			.map((delay) -> new BackendModel(delay + " ms", BackendBehaviour.DEFAULT.withDelay(new Delay.Fixed(delay))))
			.toList();
	}

}
