/**
 * The report: one page of one run or several. {@link dev.sluice.lab.report.Report} has
 * one switch from each finding to its sections.
 */
@NullMarked
package dev.sluice.lab.report;

import org.jspecify.annotations.NullMarked;
