/**
 * The API as both gateways serve it: requests, replies and the document that describes
 * them. Start at {@link dev.sluice.gateway.core.web.OrderRequests}.
 */
@NullMarked
package dev.sluice.gateway.core.web;

import org.jspecify.annotations.NullMarked;
