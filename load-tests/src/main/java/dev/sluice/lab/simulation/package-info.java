/**
 * The load: Gatling simulations that run in a process of their own, started by the lab or
 * by {@code mvn compile gatling:test -pl load-tests -am} against a stack that is up.
 * Start at {@link dev.sluice.lab.simulation.OrdersSimulation}.
 */
@NullMarked
package dev.sluice.lab.simulation;

import org.jspecify.annotations.NullMarked;
