/**
 * The metrics that services serve, scraped next to the load and read afterwards. Start at
 * {@link dev.sluice.lab.kit.metrics.Exposition}.
 */
@NullMarked
package dev.sluice.lab.kit.metrics;

import org.jspecify.annotations.NullMarked;
