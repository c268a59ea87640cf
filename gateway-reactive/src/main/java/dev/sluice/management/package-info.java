/**
 * The server of health and metrics. Start at
 * {@link dev.sluice.management.ManagementServer}.
 */
@NullMarked
package dev.sluice.management;

import org.jspecify.annotations.NullMarked;
