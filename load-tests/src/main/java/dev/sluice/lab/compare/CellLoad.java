package dev.sluice.lab.compare;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

import dev.sluice.contract.BackendBehaviour;
import dev.sluice.devservices.Patience;
import dev.sluice.lab.compare.page.ModeByLoad;
import dev.sluice.lab.kit.cell.Cell;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.load.WarmUpWatch;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.plan.BackendModel;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.plan.Phase;
import dev.sluice.lab.kit.plan.Phase.Client;
import dev.sluice.lab.kit.plan.Phase.Extent;
import dev.sluice.lab.kit.plan.Phase.Settling;
import dev.sluice.lab.kit.plan.Phase.Target;
import dev.sluice.lab.kit.plan.Phase.WarmUpWindow;
import dev.sluice.lab.kit.result.RunResult.Check;

/**
 * How the orders of a cell are placed, and the warm-up before it.
 *
 * @param kind what the size of a load counts
 * @param users maximum number of orders in flight, for loads that do not say it
 * @param items items of each order
 * @param leastMillis least time for which orders are placed, in milliseconds, except in a
 * burst
 * @param leastOrders least number of orders of a cell, except of a burst
 * @param deadlineMillis time limit of a cell including its backlog, in milliseconds
 * @param settling rule for the end of a warm-up
 * @param warmUpOrders warm-up orders of each mode before bursts
 */
record CellLoad(Load.Kind kind, int users, int items, long leastMillis, int leastOrders, long deadlineMillis,
		Settling settling, int warmUpOrders) {

	/** Maximum number of orders in flight of the reference's client. */
	private static final int REFERENCE_USERS = 1_000;

	/**
	 * Maximum number of unanswered orders that are offered by the clock. Further orders
	 * are placed late, and the delay counts in their clients' waits.
	 */
	static final int MAX_OUTSTANDING = 4_000;

	private static final int WARM_UP_USERS = 200;

	/** Deadline of the warm-up of a mode before bursts. */
	private static final long WARM_UP_MILLIS = 20_000;

	/** Time to deliver the orders that a window of a warm-up leaves in the queue. */
	private static final Duration WARM_UP_DRAIN = Duration.ofSeconds(60);

	/**
	 * Time for which orders are placed while the consumer adapts to the backend's
	 * capacity.
	 */
	private static final long SETTLING_MILLIS = 5_000;

	private static final int SETTLING_BACKLOG = 2_000;

	/** A load of at least 10 s and 2,000 orders. */
	static CellLoad lasting(Load.Kind kind, long deadlineMillis) {
		return new CellLoad(kind, MAX_OUTSTANDING, Client.ITEMS, 10_000, 2_000, deadlineMillis, Settling.WHOLE, 0);
	}

	/** A functional check: its figures mean little. */
	static CellLoad smallest(Load.Kind kind) {
		return new CellLoad(kind, MAX_OUTSTANDING, Client.ITEMS, 1_000, 50, 30_000, new Settling(2_000, 4_000, 4_000),
				300);
	}

	/** Bursts, as the reference placed them. */
	static CellLoad burst(long deadlineMillis, int warmUpOrders) {
		return new CellLoad(Load.Kind.BURST, REFERENCE_USERS, Client.ITEMS, 0, 0, deadlineMillis, new Settling(0, 0, 0),
				warmUpOrders);
	}

	Phase phase(String name, Cell cell, Target target, BackendModel backend, boolean keepsConnections) {
		int size = cell.load().size();
		int users = (this.kind == Load.Kind.IN_FLIGHT) ? size : this.users;
		double perSecond = (this.kind == Load.Kind.OFFERED) ? size : 0;
		Extent extent = switch (this.kind) {
			case IN_FLIGHT -> new Extent(this.leastOrders, this.leastMillis,
					(target.mode() == Mode.QUEUED) ? ModeByLoad.MAX_BACKLOG : 0);
			case OFFERED -> Extent.of(Math.toIntExact(Math.max(this.leastOrders, size * this.leastMillis / 1_000)));
			case BURST -> Extent.of(size);
		};
		// Offered orders need time until the last one is due.
		long due = (this.kind == Load.Kind.OFFERED) ? extent.orders() * 1_000L / size : 0;
		return new Phase(name, List.of(target), extent, new Client(users, keepsConnections, perSecond, this.items),
				backend.behaviour(), this.deadlineMillis + due);
	}

	/**
	 * The warm-up before the first cell: all gateways and modes by turns, until rate and
	 * cost hold. Before bursts it is a fixed number of orders, with as many in flight as
	 * open the connections and start the threads that the cells need.
	 */
	List<Phase> warmUp(List<Target> targets, List<Mode> modes) {
		if (this.kind == Load.Kind.BURST) {
			int users = Math.clamp(this.warmUpOrders / 4, 1, this.users);
			return modes.stream()
				.map((mode) -> new Phase("warm-up " + mode, List.of(new Target(targets.getFirst().gateway(), mode)),
						Extent.of(this.warmUpOrders), Client.of(users), BackendBehaviour.DEFAULT, WARM_UP_MILLIS))
				.toList();
		}
		return List
			.of(new Phase("warm-up", targets, Extent.lasting(this.settling.windowMillis()), Client.of(WARM_UP_USERS),
					BackendBehaviour.DEFAULT, this.settling.windowMillis() + Patience.of(WARM_UP_DRAIN).toMillis()));
	}

	/**
	 * The phase before the first cell with another backend: queued orders, while the
	 * consumer adapts to the backend's capacity.
	 * @param queued gateways that get the orders; empty if no cell is queued
	 * @return empty before bursts, as in the reference
	 */
	Optional<Phase> settling(String name, List<Target> queued, BackendBehaviour behaviour) {
		if (this.kind == Load.Kind.BURST || queued.isEmpty()) {
			return Optional.empty();
		}
		long millis = Math.min(SETTLING_MILLIS, this.leastMillis);
		return Optional.of(new Phase(name, queued, new Extent(1, millis, SETTLING_BACKLOG), Client.of(WARM_UP_USERS),
				behaviour, this.deadlineMillis));
	}

	/**
	 * Whether the services were warm; empty if that is unknown.
	 * @param warmUps windows by block
	 */
	Optional<Check> warmUpCheck(Map<String, List<WarmUpWindow>> warmUps) {
		return (this.kind == Load.Kind.BURST || !this.settling.isLong()) ? Optional.empty()
				: Optional.of(WarmUpWatch.check(warmUps));
	}

	/** How far a warm-up is, what it waits for, and how long at most. */
	String warming(List<WarmUpWindow> windows) {
		WarmUpWindow last = windows.getLast();
		return "warm-up, %s s of at most %s: orders saved per second %s (until two in a row agree within %s), compiling %s of the CPU (until at most %s)"
			.formatted(Math.round(last.endSeconds()), this.settling.mostMillis() / 1_000,
					windows.stream()
						.skip(Math.max(0, windows.size() - 2))
						.map((window) -> Figures.measured(window.savedPerSecond()))
						.collect(Collectors.joining(", then ")),
					Figures.percent(WarmUpWindow.AGREE_WITHIN), Figures.percent(last.jitShare()),
					Figures.percent(WarmUpWindow.MAX_JIT_SHARE));
	}

}
