/**
 * Loads, modes and backends that experiments plan with: pure data. Start at
 * {@link dev.sluice.lab.kit.plan.LoadPlan}, which the forked load generator reads.
 */
@NullMarked
package dev.sluice.lab.kit.plan;

import org.jspecify.annotations.NullMarked;
