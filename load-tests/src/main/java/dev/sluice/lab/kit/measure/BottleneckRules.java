package dev.sluice.lab.kit.measure;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

import dev.sluice.lab.kit.cell.Bottleneck;
import dev.sluice.lab.kit.cell.Utilisation;
import dev.sluice.lab.kit.cell.Utilisation.LimitUse;
import org.jspecify.annotations.Nullable;

/**
 * The bottleneck of a cell: the first of these rules that holds.
 * <ol>
 * <li>The load generator began late, by more than the median latency of the calls,.
 * <li>A share of {@link #BUSY} or more of the machine's CPU was used, and no limit on the
 * calls to the backend explains the rate: that is, the rate is below {@link #EXPLAINS} of
 * limit divided by latency. A limit is also reached when everything is slow.
 * <li>A limit was reached in at least {@link #MOSTLY} of the scrapes; if there are
 * several, the one reached most.
 * <li>A share of {@link #BUSY} or more of the machine's CPU was used.
 * <li>A share of {@link #HELD} or more of the calls that wait for the backend were there.
 * <li>No limit was reached.
 * </ol>
 */
final class BottleneckRules {

	/** If more than this share of the machine's CPU is used, threads wait for it. */
	static final double BUSY = 0.90;

	/** A limit that was reached in this share of the scrapes is the bottleneck. */
	static final double MOSTLY = 0.5;

	/** Share of limit divided by latency. */
	static final double EXPLAINS = 0.8;

	/** Share of the client's calls in flight. */
	static final double HELD = 0.8;

	private BottleneckRules() {
	}

	/**
	 * The client's calls.
	 *
	 * @param inFlight average number of calls in flight
	 * @param millis average time that one took
	 * @param waitForBackend whether a call is answered only after the backend has
	 * answered
	 */
	record Calls(double inFlight, double millis, boolean waitForBackend) {
	}

	/**
	 * Applies the rules.
	 * @param utilisation utilisation of the cell
	 * @param perSecond rate of the cell
	 * @param generator what the load generator lacked; null if it lacked nothing
	 * @param calls the client's
	 * @param cores cores of the machine
	 * @return null if too little is known
	 */
	static @Nullable Bottleneck of(Utilisation utilisation, double perSecond, @Nullable Bottleneck generator,
			Calls calls, int cores) {
		if (generator != null) {
			return generator;
		}
		Double busy = utilisation.busyShare();
		Optional<LimitUse> reached = reached(utilisation.limits());
		if (busy == null) {
			// If the use of the machine's CPU is not known, only a limit can be found.
			return reached.map(BottleneckRules::limit).orElse(null);
		}
		Double ceiling = utilisation.ceilingPerSecond();
		boolean explained = ceiling != null && perSecond >= EXPLAINS * ceiling;
		if (busy >= BUSY && !(explained && reached.isPresent())) {
			return cpu(busy, utilisation.processes(), cores);
		}
		if (reached.isPresent()) {
			return limit(reached.get());
		}
		Double held = utilisation.backendInFlight();
		Double millis = utilisation.backendMillis();
		if (held != null && millis != null && calls.waitForBackend() && held >= HELD * calls.inFlight()) {
			return new Bottleneck.BackendLatency(held, millis);
		}
		return new Bottleneck.InFlight(calls.inFlight(), calls.millis(), busy);
	}

	private static Optional<LimitUse> reached(List<LimitUse> limits) {
		return limits.stream()
			.filter((limit) -> limit.share() >= MOSTLY)
			.max(Comparator.comparingDouble(LimitUse::share));
	}

	private static Bottleneck limit(LimitUse limit) {
		return new Bottleneck.Limit(limit.service(), limit.what(), limit.limit(), limit.share());
	}

	private static Bottleneck cpu(double busy, Map<String, Utilisation.ProcessUse> processes, int cores) {
		return processes.entrySet()
			.stream()
			.filter((entry) -> entry.getValue().cores() != null)
			.max(Comparator.comparingDouble((entry) -> Objects.requireNonNull(entry.getValue().cores())))
			.map((most) -> new Bottleneck.Cpu(busy, most.getKey(),
					Objects.requireNonNull(most.getValue().cores()) / cores))
			.orElseGet(() -> new Bottleneck.Cpu(busy, "processes that were not sampled", busy));
	}

}
