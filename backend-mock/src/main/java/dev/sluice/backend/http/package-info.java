/**
 * The routes of the backend. The order routes are reactor-netty handlers, which use the
 * least CPU; the control routes use WebFlux.
 */
@NullMarked
package dev.sluice.backend.http;

import org.jspecify.annotations.NullMarked;
