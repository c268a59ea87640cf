/**
 * The status of every order in PostgreSQL, for the gateways to read. Start at
 * {@link dev.sluice.consumer.projection.Projection};
 * {@link dev.sluice.consumer.projection.StatusTable} contains the rule for merging
 * events.
 */
@NullMarked
package dev.sluice.consumer.projection;

import org.jspecify.annotations.NullMarked;
