/**
 * Gatling simulations in a process of their own. Start at
 * {@link dev.sluice.lab.kit.load.PhaseRunner}.
 */
@NullMarked
package dev.sluice.lab.kit.load;

import org.jspecify.annotations.NullMarked;
