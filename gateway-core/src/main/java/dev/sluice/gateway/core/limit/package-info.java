/**
 * What one client may ask of a gateway,
 * {@link dev.sluice.gateway.core.limit.ClientLimit}.
 */
@NullMarked
package dev.sluice.gateway.core.limit;

import org.jspecify.annotations.NullMarked;
