/**
 * Load generators: Gatling simulations in a process of their own, and an open-model
 * client in this one. Start at {@link dev.sluice.lab.kit.load.LoadRound}.
 */
@NullMarked
package dev.sluice.lab.kit.load;

import org.jspecify.annotations.NullMarked;
