/**
 * The rules of HTTP/1.1 that both gateways enforce on the bytes of a connection, before
 * their servers see them. Start at {@link dev.sluice.gateway.http.RequestFraming}.
 */
@NullMarked
package dev.sluice.gateway.http;

import org.jspecify.annotations.NullMarked;
