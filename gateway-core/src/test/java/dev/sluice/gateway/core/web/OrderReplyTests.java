package dev.sluice.gateway.core.web;

import java.time.Instant;
import java.util.UUID;

import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.OrderView;
import dev.sluice.contract.SavedOrder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;

import static org.assertj.core.api.Assertions.assertThat;

class OrderReplyTests {

	private static final UUID ID = new UUID(1, 2);

	@Test
	void aSavedOrderIsCreated() {
		OrderView order = OrderReply.saved(new SavedOrder(ID, Instant.EPOCH));

		ResponseEntity<OrderView> response = new OrderReply(order, "").toResponse();

		assertThat(response.getStatusCode()).isEqualTo(HttpStatus.CREATED);
		assertThat(response.getHeaders().getLocation()).hasToString("/orders/" + ID);
		assertThat(response.getHeaders().containsHeader("Retry-After")).isFalse();
		assertThat(response.getHeaders().containsHeader("Preference-Applied")).isFalse();
		assertThat(response.getBody()).isEqualTo(new OrderView(ID, OrderStatus.SAVED, 1, null, Instant.EPOCH, null));
	}

	@Test
	void aQueuedOrderIsAcceptedAndTellsWhenToAsk() {
		ResponseEntity<OrderView> response = new OrderReply(OrderReply.accepted(ID), "respond-async").toResponse();

		assertThat(response.getStatusCode()).isEqualTo(HttpStatus.ACCEPTED);
		assertThat(response.getHeaders().getLocation()).hasToString("/orders/" + ID);
		assertThat(response.getHeaders().getFirst("Retry-After")).isEqualTo("1");
		assertThat(response.getHeaders().getFirst("Preference-Applied")).isEqualTo("respond-async");
	}

	/** Else the answer would have the charset of {@code Accept}, and fail. */
	@ParameterizedTest
	@EnumSource(OrderStatus.class)
	void anAnswerIsJsonWhateverCharsetTheClientAccepts(OrderStatus status) {
		OrderView order = new OrderView(ID, status, 1, null, Instant.EPOCH, null);

		assertThat(new OrderReply(order, "").toResponse().getHeaders().getContentType())
			.isEqualTo(MediaType.APPLICATION_JSON);
		assertThat(OrderReply.found(order).getHeaders().getContentType()).isEqualTo(MediaType.APPLICATION_JSON);
	}

	@ParameterizedTest
	@EnumSource(OrderStatus.class)
	void aPendingOrderTellsWhenToAskAgain(OrderStatus status) {
		OrderView order = new OrderView(ID, status, 1, null, Instant.EPOCH, null);

		ResponseEntity<OrderView> response = OrderReply.found(order);

		assertThat(response.getStatusCode()).isEqualTo(HttpStatus.OK);
		assertThat(response.getBody()).isEqualTo(order);
		assertThat(response.getHeaders().containsHeader("Retry-After"))
			.isEqualTo(status == OrderStatus.ACCEPTED || status == OrderStatus.RETRYING);
	}

}
