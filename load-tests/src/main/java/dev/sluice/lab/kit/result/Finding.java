package dev.sluice.lab.kit.result;

import com.fasterxml.jackson.annotation.JsonTypeInfo;

/**
 * The finding of an experiment. Each experiment has a form of its own. A sealed type and
 * its permitted types share a package, so the forms are here and not next to their
 * experiments.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
public sealed interface Finding
		permits ChaosResult, ClientResult, CompareResult, DrainResult, KneeResult, PoolResult, SinkResult, SurgeResult {

}
