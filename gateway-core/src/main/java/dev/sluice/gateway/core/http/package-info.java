/**
 * The rules of HTTP/1.1 that both gateways enforce on the bytes of a connection, before
 * their servers see them. Start at {@link dev.sluice.gateway.core.http.RequestFraming}.
 */
@NullMarked
package dev.sluice.gateway.core.http;

import org.jspecify.annotations.NullMarked;
