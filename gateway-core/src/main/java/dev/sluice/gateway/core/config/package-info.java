/**
 * The properties of a gateway, one record for each concern, and its circuit breakers.
 */
@NullMarked
package dev.sluice.gateway.core.config;

import org.jspecify.annotations.NullMarked;
