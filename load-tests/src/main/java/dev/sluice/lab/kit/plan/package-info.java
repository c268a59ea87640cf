/**
 * What is to be measured, before anything runs: pure data and arithmetic. Start at
 * {@link dev.sluice.lab.compare.ComparePlan}; what the forked load generator is told is a
 * {@link dev.sluice.lab.kit.plan.LoadPlan}.
 */
@NullMarked
package dev.sluice.lab.kit.plan;

import org.jspecify.annotations.NullMarked;
