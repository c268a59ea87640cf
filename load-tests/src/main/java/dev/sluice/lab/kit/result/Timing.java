package dev.sluice.lab.kit.result;

/**
 * How long something took, in milliseconds: exact percentiles, by the nearest rank.
 */
public record Timing(double min, double mean, double p50, double p95, double p99, double max) {
}
