package dev.sluice.lab.kit.result;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import org.jspecify.annotations.Nullable;

/**
 * What an experiment found, where cells of orders do not say it: each experiment has its
 * own form.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
public sealed interface Finding
		permits CausesResult, ClientResult, GridResult, KneeResult, PoolResult, ScenarioResult, SinkResult {

	/**
	 * Of each of its measurements, the share of the machine's CPU that was in other
	 * hands, 0 to 1; null where it is not known. Empty where it does not matter.
	 */
	default List<@Nullable Double> foreignCpuShares() {
		return List.of();
	}

}
