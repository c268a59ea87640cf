/**
 * Loads, modes and backends that experiments plan with: pure data. Start at
 * {@link dev.sluice.lab.kit.plan.Phase}.
 */
@NullMarked
package dev.sluice.lab.kit.plan;

import org.jspecify.annotations.NullMarked;
