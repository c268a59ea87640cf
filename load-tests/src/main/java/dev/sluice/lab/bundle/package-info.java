/**
 * A run handed on: packed into a {@link dev.sluice.lab.kit.bundle.Bundle}, and repeated
 * from it. Start at {@link dev.sluice.lab.bundle.RerunCommand}.
 */
@NullMarked
package dev.sluice.lab.bundle;

import org.jspecify.annotations.NullMarked;
