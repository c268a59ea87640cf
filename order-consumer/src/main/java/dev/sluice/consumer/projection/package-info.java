/**
 * The status of every order in PostgreSQL, for the gateways to read. Start at
 * {@link dev.sluice.consumer.projection.Projection}; the rule by which events merge is in
 * {@link dev.sluice.consumer.projection.StatusRow}.
 */
@NullMarked
package dev.sluice.consumer.projection;

import org.jspecify.annotations.NullMarked;
