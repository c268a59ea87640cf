/**
 * The report: one page for one or several runs. {@link dev.sluice.lab.report.Report} has
 * the switch from findings to their sections.
 */
@NullMarked
package dev.sluice.lab.report;

import org.jspecify.annotations.NullMarked;
