/**
 * The faults of {@code lab chaos}: what is broken, when, and how it is mended. Start at
 * {@link dev.sluice.lab.chaos.faults.ChaosPlan}.
 */
@NullMarked
package dev.sluice.lab.chaos.faults;

import org.jspecify.annotations.NullMarked;
