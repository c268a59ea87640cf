package dev.sluice.lab.kit.result;

import java.util.List;
import java.util.Map;
import java.util.Objects;

import com.fasterxml.jackson.annotation.JsonTypeName;
import dev.sluice.lab.kit.cell.CellResult.Latency;
import dev.sluice.lab.kit.cell.CellResult.ServiceCost;
import org.jspecify.annotations.Nullable;

/**
 * The share of its rate that a synchronous gateway lost to each factor.
 *
 * @param variant the gateway
 * @param few orders of the small load
 * @param many orders of the large load, at which the reference had collapsed
 * @param all the name of the setting with all likely factors at once
 * @param shares for each of those factors, the names of the settings with it alone and
 * with all but it
 * @param settings variations, the base first
 * @param cells in the order they were run
 */
@JsonTypeName("causes")
public record CausesResult(String variant, int few, int many, String all, List<Share> shares,
		List<FactorLevels> settings, List<Cell> cells) implements Finding {

	public CausesResult {
		Objects.requireNonNull(variant, "variant");
		Objects.requireNonNull(all, "all");
		shares = List.copyOf(shares);
		settings = List.copyOf(settings);
		cells = List.copyOf(cells);
	}

	/**
	 * Share of the total time of these cells for which the collector stopped the gateway.
	 * They are taken together, because a cell of a second may have no pause. Null if one
	 * is unknown, or there are no cells.
	 */
	public static @Nullable Double pauseShare(List<Cell> cells) {
		if (cells.isEmpty() || cells.stream().anyMatch((cell) -> cell.pauseShare() == null)) {
			return null;
		}
		double paused = cells.stream()
			.mapToDouble((cell) -> Objects.requireNonNull(cell.pauseShare()) * cell.seconds())
			.sum();
		return paused / cells.stream().mapToDouble(Cell::seconds).sum();
	}

	/** The base's name. */
	public static final String BASE = "base";

	/**
	 * A setting: a level of each factor.
	 *
	 * @param name unique
	 * @param changes level by factor, for the factors that differ from the base
	 * @param memory whether it differs from the base only in heap and collector
	 * @param outOfMemory whether the gateway ran out of memory with it at least once
	 */
	public record FactorLevels(String name, Map<String, String> changes, boolean memory, boolean outOfMemory) {

		public FactorLevels {
			Objects.requireNonNull(name, "name");
			changes = Map.copyOf(changes);
		}

	}

	/**
	 * A factor whose share of the loss is reported.
	 *
	 * @param factor its name
	 * @param alone the setting with it alone
	 * @param allButIt the setting with all others
	 */
	public record Share(String factor, String alone, String allButIt) {
	}

	/**
	 * One measurement: from the first call to the last order's answer.
	 *
	 * @param setting its name
	 * @param orders number of orders placed
	 * @param repetition from 1; each has its own start of the gateway
	 * @param trial number of the measurement within the repetition, from 1
	 * @param seconds from the first call to the last answer
	 * @param answered orders answered 201
	 * @param calls calls of the client, retries included
	 * @param failures failed calls by cause
	 * @param latency latency of the answered calls; null if none was
	 * @param received requests that the backend received, retries included; may exceed
	 * the orders
	 * @param backendMaxInFlight greatest number of requests at the backend at once
	 * @param connectionsOpened connections that the backend accepted
	 * @param gateway resources that the gateway used for each order answered
	 * @param threads platform threads of the gateway by state, mean of the samples; empty
	 * if it ended before one was taken
	 * @param foreignCpuShare share of the machine's CPU that other processes used, 0 to
	 * 1; null if not sampled
	 * @param problem why it is incomplete; null if it is not
	 */
	public record Cell(String setting, int orders, int repetition, int trial, double seconds, long answered, long calls,
			Map<String, Long> failures, @Nullable Latency latency, long received, int backendMaxInFlight,
			long connectionsOpened, ServiceCost gateway, Map<String, Double> threads, @Nullable Double foreignCpuShare,
			@Nullable String problem) {

		public Cell {
			Objects.requireNonNull(setting, "setting");
			failures = Map.copyOf(failures);
			threads = Map.copyOf(threads);
		}

		/** Orders answered 201. */
		public double perSecond() {
			return (this.seconds > 0) ? this.answered / this.seconds : 0;
		}

		/**
		 * Share of the time for which the collector stopped the gateway; null if unknown.
		 */
		public @Nullable Double pauseShare() {
			Double millis = this.gateway.gcPauseMillis();
			return (millis != null && this.seconds > 0) ? millis / 1_000 / this.seconds : null;
		}

	}

}
