/**
 * The sections of {@code lab compare} in a report. Start at
 * {@link dev.sluice.lab.compare.page.ComparePage}.
 */
@NullMarked
package dev.sluice.lab.compare.page;

import org.jspecify.annotations.NullMarked;
