/**
 * Makes the page people look at from what runs left behind. An experiment adds its
 * sections in {@link dev.sluice.lab.report.Report}; one that has none gets the parts
 * common to all. Start at {@link dev.sluice.lab.report.Report}.
 */
@NullMarked
package dev.sluice.lab.report;

import org.jspecify.annotations.NullMarked;
