package dev.sluice.lab.kit.result;

import java.util.List;
import java.util.Map;
import java.util.Objects;

import com.fasterxml.jackson.annotation.JsonTypeName;
import dev.sluice.lab.kit.cell.CellResult.Latency;
import dev.sluice.lab.kit.cell.CellResult.ServiceCost;
import org.jspecify.annotations.Nullable;

/**
 * What each factor costs a synchronous gateway.
 *
 * @param variant the gateway
 * @param few orders of the small load
 * @param many orders of the large load
 * @param settings base, each factor alone, all together
 * @param cells in order of execution
 */
@JsonTypeName("causes")
public record CausesResult(String variant, int few, int many, List<FactorLevels> settings,
		List<Cell> cells) implements Finding {

	public CausesResult {
		Objects.requireNonNull(variant, "variant");
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
	 * @param changes level of each factor that differs from the base
	 * @param memory whether only heap and collector differ
	 */
	public record FactorLevels(String name, Map<String, String> changes, boolean memory) {

		public FactorLevels {
			Objects.requireNonNull(name, "name");
			changes = Map.copyOf(changes);
		}

	}

	/**
	 * One measurement: from the first call to the last order's answer.
	 *
	 * @param setting its name
	 * @param orders placed
	 * @param repetition from 1, each with its own gateway process
	 * @param trial within the repetition, from 1
	 * @param seconds from first call to last answer
	 * @param answered orders answered 201
	 * @param calls of the client, retries included
	 * @param failures failed calls by cause
	 * @param latency of answered calls
	 * @param received requests at the backend, retries included
	 * @param backendMaxInFlight most requests at the backend at once
	 * @param connectionsOpened connections that the backend accepted
	 * @param gateway resources used by the gateway, per answered order
	 * @param foreignCpuShare CPU share of other processes
	 * @param problem why it is incomplete
	 */
	public record Cell(String setting, int orders, int repetition, int trial, double seconds, long answered, long calls,
			Map<String, Long> failures, @Nullable Latency latency, long received, int backendMaxInFlight,
			long connectionsOpened, ServiceCost gateway, @Nullable Double foreignCpuShare, @Nullable String problem) {

		public Cell {
			Objects.requireNonNull(setting, "setting");
			failures = Map.copyOf(failures);
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
