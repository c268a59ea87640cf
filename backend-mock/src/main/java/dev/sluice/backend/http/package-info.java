/**
 * The routes of the backend. Those for orders are handlers of Netty, which take the least
 * CPU; those that control the backend are of WebFlux.
 */
@NullMarked
package dev.sluice.backend.http;

import org.jspecify.annotations.NullMarked;
