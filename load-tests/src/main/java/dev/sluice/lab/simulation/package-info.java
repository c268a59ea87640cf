/**
 * The load: Gatling simulations that run in a process of their own, started by the lab or
 * by {@code mvn gatling:test} against a stack that is up. Start at
 * {@link dev.sluice.lab.simulation.OrdersSimulation}.
 */
@NullMarked
package dev.sluice.lab.simulation;

import org.jspecify.annotations.NullMarked;
