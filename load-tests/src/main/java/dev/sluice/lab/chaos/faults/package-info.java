/**
 * What {@code lab chaos} breaks, when, and how it ends. Start at
 * {@link dev.sluice.lab.chaos.faults.ChaosPlan}.
 */
@NullMarked
package dev.sluice.lab.chaos.faults;

import org.jspecify.annotations.NullMarked;
