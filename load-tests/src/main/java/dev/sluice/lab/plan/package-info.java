/**
 * What is to be measured, before anything runs: pure data and arithmetic. Start at
 * {@link dev.sluice.lab.plan.ComparePlan}; what the forked load generator is told is a
 * {@link dev.sluice.lab.plan.LoadPlan}.
 */
@NullMarked
package dev.sluice.lab.plan;

import org.jspecify.annotations.NullMarked;
