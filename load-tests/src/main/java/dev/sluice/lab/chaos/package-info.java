/**
 * {@code lab chaos}: kills, freezes and restarts services while orders come in, and
 * audits every order. Start at {@link dev.sluice.lab.chaos.ChaosExperiment}.
 */
@NullMarked
package dev.sluice.lab.chaos;

import org.jspecify.annotations.NullMarked;
