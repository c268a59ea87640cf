/** The report of {@code lab pool}: {@link dev.sluice.lab.report.pool.PoolSection}. */
@NullMarked
package dev.sluice.lab.report.pool;

import org.jspecify.annotations.NullMarked;
