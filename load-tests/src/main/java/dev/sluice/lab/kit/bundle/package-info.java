/**
 * A run in one file, to be handed on: {@link dev.sluice.lab.kit.bundle.Bundle}.
 */
@NullMarked
package dev.sluice.lab.kit.bundle;

import org.jspecify.annotations.NullMarked;
