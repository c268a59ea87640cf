package dev.sluice.gateway.core.backend;

import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

import dev.sluice.contract.HttpNames;
import dev.sluice.contract.OrderHeaders;
import dev.sluice.gateway.core.config.BackendProperties;
import dev.sluice.gateway.core.order.ValidOrder;

/**
 * A request to the backend.
 *
 * @param id the id of the order that it saves or asks for
 * @param method its method
 * @param uri its target
 * @param headers its headers, without those that describe the body
 * @param json its body; empty = none
 */
public record BackendRequest(UUID id, String method, URI uri, Map<String, String> headers, byte[] json) {

	public static BackendRequest save(BackendProperties backend, ValidOrder order) {
		Map<String, String> headers = new LinkedHashMap<>();
		headers.put(HttpNames.IDEMPOTENCY_KEY, '"' + order.id().toString() + '"');
		if (order.traceparent() != null) {
			headers.put(OrderHeaders.TRACEPARENT, order.traceparent());
		}
		return new BackendRequest(order.id(), "POST", backend.orders(), headers, order.json());
	}

	public static BackendRequest find(BackendProperties backend, UUID id) {
		return new BackendRequest(id, "GET", backend.order(id), Map.of(), new byte[0]);
	}

}
