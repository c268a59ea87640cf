/**
 * {@code lab verify-statistics}: whether the comparisons of the report find what is there
 * and nothing else.
 */
@NullMarked
package dev.sluice.lab.statistics;

import org.jspecify.annotations.NullMarked;
