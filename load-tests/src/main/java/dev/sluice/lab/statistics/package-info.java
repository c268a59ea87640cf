/**
 * {@code lab verify-statistics}: whether the report's comparisons find real differences
 * and no others.
 */
@NullMarked
package dev.sluice.lab.statistics;

import org.jspecify.annotations.NullMarked;
