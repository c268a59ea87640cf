/**
 * The web server: its configuration, and the problem documents for errors. Start at
 * {@link dev.sluice.gateway.web.GatewayConfiguration}.
 */
@NullMarked
package dev.sluice.gateway.web;

import org.jspecify.annotations.NullMarked;
