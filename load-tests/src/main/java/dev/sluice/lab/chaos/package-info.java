/**
 * {@code lab chaos}: kills, freezes and restarts services while orders come in, and
 * audits every order. Start at {@link dev.sluice.lab.chaos.ChaosExperiment}, which runs a
 * {@link dev.sluice.lab.chaos.Trial}.
 */
@NullMarked
package dev.sluice.lab.chaos;

import org.jspecify.annotations.NullMarked;
