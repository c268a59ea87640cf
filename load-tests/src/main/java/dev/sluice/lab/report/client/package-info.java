/**
 * The report of {@code lab client}. Start at
 * {@link dev.sluice.lab.report.client.ClientSections}.
 */
@NullMarked
package dev.sluice.lab.report.client;

import org.jspecify.annotations.NullMarked;
