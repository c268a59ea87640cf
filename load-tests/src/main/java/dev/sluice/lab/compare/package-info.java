/**
 * {@code lab compare} and {@code lab grid}: cells of gateways, modes and loads. Start at
 * {@link dev.sluice.lab.compare.CompareExperiment}; a plan says which cells it measures.
 */
@NullMarked
package dev.sluice.lab.compare;

import org.jspecify.annotations.NullMarked;
