/** The report of {@code lab knee}: {@link dev.sluice.lab.report.knee.KneeSection}. */
@NullMarked
package dev.sluice.lab.report.knee;

import org.jspecify.annotations.NullMarked;
