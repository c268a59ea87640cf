package dev.sluice.lab.kit.cell;

import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.annotation.JsonAlias;
import org.jspecify.annotations.Nullable;

/**
 * How busy everything was in a cell. A figure is null where it is not known.
 *
 * @param busyShare share of the machine's CPU that was used, 0 to 1
 * @param stealShare share of the machine's CPU that another virtual machine had, 0 to 1
 * @param processes use of each process, by name
 * @param limits limits that the services export, without those that were never near
 * @param backendMillis average time that the backend took for an order
 * @param backendInFlight average number of orders at the backend
 * @param ceilingPerSecond orders per second that the tightest limit on calls to the
 * backend allows at its latency: limit divided by latency
 * @param bottleneck what kept the cell from being faster; null if too little is known
 */
public record Utilisation(@Nullable Double busyShare, @Nullable Double stealShare, Map<String, ProcessUse> processes,
		List<LimitUse> limits, @Nullable Double backendMillis, @Nullable Double backendInFlight,
		@Nullable Double ceilingPerSecond, @JsonAlias("bound") @Nullable Bottleneck bottleneck) {

	public Utilisation {
		processes = Map.copyOf(processes);
		limits = List.copyOf(limits);
	}

	/** This utilisation with a bottleneck. */
	public Utilisation withBottleneck(@Nullable Bottleneck bottleneck) {
		return new Utilisation(this.busyShare, this.stealShare, this.processes, this.limits, this.backendMillis,
				this.backendInFlight, this.ceilingPerSecond, bottleneck);
	}

	/**
	 * The share of all processes' CPU time that compilers used, 0 to 1; null if it is not
	 * known for any.
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
	 * @param cores average number of cores that it used
	 * @param waiting average number of its threads that were ready to run and had no core
	 * @param jitShare share of its CPU time that its compilers used, 0 to 1
	 * @param gcShare share of its CPU time that its collector used, 0 to 1
	 */
	public record ProcessUse(@Nullable Double cores, @Nullable Double waiting, @Nullable Double jitShare,
			@Nullable Double gcShare) {
	}

	/**
	 * The use of a limit, from the service's scrapes in the window.
	 *
	 * @param service service that has the limit
	 * @param what is limited
	 * @param limit its greatest value
	 * @param used average use
	 * @param share share of the scrapes in which it was reached, 0 to 1
	 */
	public record LimitUse(String service, String what, double limit, double used, double share) {
	}

}
