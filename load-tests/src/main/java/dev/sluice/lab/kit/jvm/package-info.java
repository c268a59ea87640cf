/**
 * What the measured JVMs log of their collector. Start at
 * {@link dev.sluice.lab.kit.jvm.GcLog}.
 */
@NullMarked
package dev.sluice.lab.kit.jvm;

import org.jspecify.annotations.NullMarked;
