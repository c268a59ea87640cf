/**
 * The sections of {@code lab chaos}. Start at {@link dev.sluice.lab.chaos.ChaosSections}.
 */
@NullMarked
package dev.sluice.lab.chaos;

import org.jspecify.annotations.NullMarked;
