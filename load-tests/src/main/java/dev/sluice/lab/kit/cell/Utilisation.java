package dev.sluice.lab.kit.cell;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * How busy everything was in a cell. A figure is null where it is not known.
 *
 * @param busyShare of the machine's CPU, 0 to 1
 * @param stealShare of the machine's CPU that another machine had, 0 to 1
 * @param processes by name
 * @param limits that the services export, those that were never near left out
 * @param backendMillis that the backend took for an order, on average
 * @param backendInFlight orders at the backend, on average
 * @param ceilingPerSecond orders per second that the tightest limit on calls to the
 * backend allows at its latency: limit by latency
 * @param bound what kept the cell from being faster; null if too little is known
 */
public record Utilisation(@Nullable Double busyShare, @Nullable Double stealShare, Map<String, ProcessUse> processes,
		List<LimitUse> limits, @Nullable Double backendMillis, @Nullable Double backendInFlight,
		@Nullable Double ceilingPerSecond, @Nullable Bound bound) {

	public Utilisation {
		processes = Map.copyOf(processes);
		limits = List.copyOf(limits);
	}

	/** The same, bound by this. */
	public Utilisation boundBy(@Nullable Bound by) {
		return new Utilisation(this.busyShare, this.stealShare, this.processes, this.limits, this.backendMillis,
				this.backendInFlight, this.ceilingPerSecond, by);
	}

	/**
	 * The share of all processes' CPU time that compiled, 0 to 1; null if it is not known
	 * of any.
	 */
	public @Nullable Double jitShare() {
		double cores = 0;
		double compiling = 0;
		for (ProcessUse use : this.processes.values()) {
			if (use.cores() != null && use.jitShare() != null) {
				cores += use.cores();
				compiling += use.cores() * use.jitShare();
			}
		}
		return (cores > 0) ? compiling / cores : null;
	}

	/**
	 * A process with its descendants, or a container.
	 *
	 * @param cores that it used, on average
	 * @param waiting threads that were ready to run and had no core, on average
	 * @param jitShare of its CPU time that compiled, 0 to 1
	 * @param gcShare of its CPU time that collected garbage, 0 to 1
	 */
	public record ProcessUse(@Nullable Double cores, @Nullable Double waiting, @Nullable Double jitShare,
			@Nullable Double gcShare) {
	}

	/**
	 * A limit, by the service's scrapes in the window.
	 *
	 * @param service whose
	 * @param what is limited
	 * @param limit the greatest it was
	 * @param used on average
	 * @param share of the scrapes in which it was reached, 0 to 1
	 */
	public record LimitUse(String service, String what, double limit, double used, double share) {
	}

}
