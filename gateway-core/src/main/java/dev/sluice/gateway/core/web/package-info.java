/**
 * Endpoints that both gateways serve alike.
 */
@NullMarked
package dev.sluice.gateway.core.web;

import org.jspecify.annotations.NullMarked;
