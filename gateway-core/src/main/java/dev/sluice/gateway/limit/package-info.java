/**
 * What one client may ask of a gateway, {@link dev.sluice.gateway.limit.ClientLimit}.
 */
@NullMarked
package dev.sluice.gateway.limit;

import org.jspecify.annotations.NullMarked;
