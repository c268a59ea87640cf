package dev.sluice.lab.result;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonTypeInfo;

/**
 * What an experiment found, where cells of orders do not say it: each experiment has its
 * own form.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
public sealed interface Finding
		permits CausesResult, ClientResult, GridResult, KneeResult, PoolResult, ScenarioResult, SinkResult {

	/**
	 * Of each of its measurements that was sampled, the share of the machine's CPU that
	 * was in other hands, 0 to 1. Empty where nothing was sampled.
	 */
	default List<Double> foreignCpuShares() {
		return List.of();
	}

}
