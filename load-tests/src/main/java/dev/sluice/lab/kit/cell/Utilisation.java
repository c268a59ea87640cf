package dev.sluice.lab.kit.cell;

import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.annotation.JsonAlias;
import org.jspecify.annotations.Nullable;

/**
 * How busy everything was in a cell. A figure is null where it is not known.
 *
 * @param busyShare of the machine's CPU
 * @param processes by name
 * @param limits limits of the services that were ever near
 * @param backendMillis mean time of the backend for an order
 * @param backendInFlight mean number of orders at the backend
 * @param ceilingPerSecond tightest limit on calls to the backend, divided by its latency
 * @param bottleneck what limited the cell
 */
public record Utilisation(@Nullable Double busyShare, Map<String, ProcessUse> processes, List<LimitUse> limits,
		@Nullable Double backendMillis, @Nullable Double backendInFlight, @Nullable Double ceilingPerSecond,
		@JsonAlias("bound") @Nullable Bottleneck bottleneck) {

	public Utilisation {
		processes = Map.copyOf(processes);
		limits = List.copyOf(limits);
	}

	/** This utilisation with a bottleneck. */
	public Utilisation withBottleneck(@Nullable Bottleneck bottleneck) {
		return new Utilisation(this.busyShare, this.processes, this.limits, this.backendMillis, this.backendInFlight,
				this.ceilingPerSecond, bottleneck);
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
	 * @param cores mean number of cores used
	 * @param jitShare of its CPU time, by compilers
	 */
	public record ProcessUse(@Nullable Double cores, @Nullable Double jitShare) {
	}

	/**
	 * The use of a limit, from the service's scrapes in the window.
	 *
	 * @param service that has the limit
	 * @param what is limited
	 * @param limit its greatest value
	 * @param used mean
	 * @param share of scrapes in which it was reached
	 */
	public record LimitUse(String service, String what, double limit, double used, double share) {
	}

}
