package dev.sluice.gateway.core.web;

import java.time.Instant;
import java.util.UUID;

import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.OrderView;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.http.MediaType;

import static org.assertj.core.api.Assertions.assertThat;

class OrderReplyTests {

	private static final UUID ID = new UUID(1, 2);

	/** Else the answer would have the charset of {@code Accept}, and fail. */
	@ParameterizedTest
	@EnumSource(OrderStatus.class)
	void anAnswerIsJsonWhateverCharsetTheClientAccepts(OrderStatus status) {
		OrderView order = new OrderView(ID, status, 1, null, Instant.EPOCH, null);

		assertThat(new OrderReply(order, "").toResponse().getHeaders().getContentType())
			.isEqualTo(MediaType.APPLICATION_JSON);
		assertThat(OrderReply.found(order).getHeaders().getContentType()).isEqualTo(MediaType.APPLICATION_JSON);
	}

}
