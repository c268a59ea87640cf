package dev.sluice.gateway.core.web;

import java.net.URI;
import java.util.UUID;

import dev.sluice.contract.HttpNames;
import dev.sluice.contract.OrderPage;
import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.OrderView;
import dev.sluice.contract.SavedOrder;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;

/**
 * The answer to a client that placed an order: 201 if the order is saved, else 202. A
 * repeat of the request gets the same bytes at every gateway.
 *
 * @param order the order as the client sees it
 * @param preferenceApplied the value of {@code Preference-Applied}; empty = no header
 */
public record OrderReply(OrderView order, String preferenceApplied) {

	private static final String RETRY_AFTER_SECONDS = "1";

	/**
	 * The reply to a request.
	 * @param request the request
	 * @param order the order as the client sees it
	 * @param waited whether the client waited for the outcome
	 */
	public static OrderReply to(OrderRequest request, OrderView order, boolean waited) {
		return new OrderReply(order, request.prefer().applied(waited));
	}

	/** An order that is in Kafka. Its id is all that the answer says about it. */
	public static OrderView accepted(UUID id) {
		return new OrderView(id, OrderStatus.ACCEPTED, 0, null, null, null);
	}

	/** An order that the backend saved. The time is when it first saved the order. */
	public static OrderView saved(SavedOrder order) {
		return new OrderView(order.id(), OrderStatus.SAVED, 1, null, order.savedAt(), null);
	}

	/** The answer to a client that asks for the status of an order. */
	public static ResponseEntity<OrderView> found(OrderView order) {
		return switch (order.status()) {
			case ACCEPTED, RETRYING ->
				json(ResponseEntity.ok().header(HttpHeaders.RETRY_AFTER, RETRY_AFTER_SECONDS), order);
			case SAVED, FAILED -> json(ResponseEntity.ok(), order);
		};
	}

	/** The answer to a client that asks for a list of orders. */
	public static ResponseEntity<OrderPage> list(OrderPage page) {
		return json(ResponseEntity.ok(), page);
	}

	/**
	 * JSON has no charset (RFC 8259). Without the content type the answer would have that
	 * of {@code Accept}, with a charset that cannot be written.
	 */
	private static <T> ResponseEntity<T> json(ResponseEntity.BodyBuilder response, T body) {
		return response.contentType(MediaType.APPLICATION_JSON).body(body);
	}

	public ResponseEntity<OrderView> toResponse() {
		URI location = URI.create("/orders/" + this.order.id());
		ResponseEntity.BodyBuilder response = switch (this.order.status()) {
			case SAVED -> ResponseEntity.created(location);
			case ACCEPTED, RETRYING, FAILED ->
				ResponseEntity.accepted().location(location).header(HttpHeaders.RETRY_AFTER, RETRY_AFTER_SECONDS);
		};
		if (!this.preferenceApplied.isEmpty()) {
			response.header(HttpNames.PREFERENCE_APPLIED, this.preferenceApplied);
		}
		return json(response, this.order);
	}

}
