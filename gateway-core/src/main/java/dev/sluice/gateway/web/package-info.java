/**
 * Endpoints that both gateways serve alike.
 */
@NullMarked
package dev.sluice.gateway.web;

import org.jspecify.annotations.NullMarked;
