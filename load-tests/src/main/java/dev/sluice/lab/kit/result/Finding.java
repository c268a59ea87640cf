package dev.sluice.lab.kit.result;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import org.jspecify.annotations.Nullable;

/**
 * The finding of an experiment. Each experiment has a form of its own. A sealed type and
 * its permitted types share a package, so the forms are here and not next to their
 * experiments.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
public sealed interface Finding
		permits ChaosResult, ClientResult, CompareResult, DrainResult, KneeResult, PoolResult, SinkResult, SurgeResult {

	/**
	 * The share of the machine's CPU that other processes used during each measurement, 0
	 * to 1; null where it is not known. Empty where it does not matter.
	 */
	default List<@Nullable Double> foreignCpuShares() {
		return List.of();
	}

}
