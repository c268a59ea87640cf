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
import picocli.CommandLine.Command;

/**
 * {@code lab grid}: gateways that wait for a backend, by its delay and the requests in
 * flight.
 */
@Command(name = GridPage.NAME,
		description = "Measures gateways that wait for a backend, by its delay and the requests in flight: throughput,"
				+ " response time, executing against queued, CPU and memory. Takes some minutes with --quick, otherwise"
				+ " more than half an hour.")
public final class GridExperiment extends CellsExperiment {

	/** Of the backend, in milliseconds. */
	private static final List<Long> DELAYS = List.of(0L, 100L, 250L, 500L);

	private static final long DEADLINE_MILLIS = 60_000;

	/** Seed for the order of its cells, the same each time. */
	private static final long SEED = 1;

	@Override
	protected ComparePlan plan() {
		return plan(length());
	}

	/**
	 * The smallest has a cell of the small pool and one of a gateway that does not block.
	 */
	static ComparePlan plan(Length length) {
		List<Gateway> all = gateways();
		return switch (length) {
			case SMALLEST -> plan(List.of(all.getFirst(), all.getLast()), List.of(100L), List.of(20), 1_000,
					CellLoad.smallest(Load.Kind.IN_FLIGHT).settling());
			case QUICK -> plan(all, DELAYS, List.of(10, 50, 100), 2_000, Settling.WHOLE);
			case WHOLE -> plan(all, DELAYS, List.of(10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 200, 500, 1_000), 5_000,
					Settling.WHOLE);
		};
	}

	private static ComparePlan plan(List<Gateway> gateways, List<Long> delays, List<Integer> inFlight, long cellMillis,
			Settling settling) {
		List<BackendModel> backends = delays.stream()
			.map((delay) -> new BackendModel(delay + " ms", BackendBehaviour.DEFAULT.withDelay(new Delay.Fixed(delay))))
			.toList();
		Sweep sweep = new Sweep(gateways, List.of(Mode.SYNC), backends, Load.Kind.IN_FLIGHT, inFlight, 1, SEED, true);
		CellLoad load = new CellLoad(Load.Kind.IN_FLIGHT, CellLoad.MAX_OUTSTANDING, Client.ITEMS, cellMillis, 1,
				DEADLINE_MILLIS, settling, 0);
		return new ComparePlan(sweep.blocks(), backends, load, "384m", ComparePlan.G1, 0);
	}

	/** One of them twice, with a small pool and with the usual one. */
	private static List<Gateway> gateways() {
		Gateway usual = Gateway.of(Variant.SERVLET_PLATFORM);
		Gateway small = new Gateway(GridPage.SMALL_POOL, usual.variant(),
				usual.options()
					.withProperty("server.tomcat.threads.max", GridPage.SMALL_POOL_THREADS)
					.withProperty("server.tomcat.threads.min-spare", GridPage.SMALL_POOL_THREADS));
		return Stream.concat(Stream.of(small), Stream.of(Variant.values()).map(Gateway::of)).toList();
	}

	@Override
	protected boolean isForced() {
		return true;
	}

}
