/**
 * Packs a run into a {@link dev.sluice.lab.kit.bundle.Bundle}, and repeats it from there.
 * Start at {@link dev.sluice.lab.bundle.RerunCommand}.
 */
@NullMarked
package dev.sluice.lab.bundle;

import org.jspecify.annotations.NullMarked;
