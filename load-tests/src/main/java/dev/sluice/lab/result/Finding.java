package dev.sluice.lab.result;

import com.fasterxml.jackson.annotation.JsonTypeInfo;

/**
 * What an experiment found, where cells of orders do not say it: each experiment has its
 * own form.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
public sealed interface Finding permits ClientResult, GridResult, KneeResult, PoolResult, SinkResult {

}
