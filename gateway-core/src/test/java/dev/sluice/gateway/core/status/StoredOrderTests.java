package dev.sluice.gateway.core.status;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.UUID;

import dev.sluice.contract.Fingerprint;
import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.order.IdempotencyKey;
import dev.sluice.gateway.core.order.OrderCodec;
import dev.sluice.gateway.core.order.OrderIds;
import dev.sluice.gateway.core.order.ValidOrder;
import dev.sluice.gateway.core.problem.ProblemException;
import dev.sluice.gateway.core.queue.FakeRecentOrders;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

class StoredOrderTests {

	private static final String ORDER = """
			{"customerId":"c-1","items":[{"sku":"tea","quantity":2,"unitPrice":{"amount":"9.90","currency":"EUR"}}]}""";

	private final OrderIds ids = new OrderIds();

	private final UUID id = this.ids.idOf("c-1", null);

	private final FakeRecentOrders recent = new FakeRecentOrders();

	private final OrderCodec codec = new OrderCodec();

	@Test
	void isDeliveredAgainAsItWas() {
		ValidOrder order = redelivery(this.id, OrderStatus.FAILED, ORDER);

		assertThat(order.id()).isEqualTo(this.id);
		assertThat(order.customerId()).isEqualTo("c-1");
		assertThat(order.json()).isEqualTo(ORDER.getBytes(StandardCharsets.UTF_8));
		assertThat(order.fingerprint()).as("no other order can have this id").isNull();
	}

	/** Otherwise another payload would be accepted under the key meanwhile. */
	@Test
	void keepsThePayloadThatItsKeyStandsFor() {
		UUID derived = this.ids.idOf("c-1", new IdempotencyKey("k"));

		assertThat(redelivery(derived, OrderStatus.FAILED, ORDER).fingerprint())
			.isEqualTo(Fingerprint.ofJson(ORDER.getBytes(StandardCharsets.UTF_8)));
	}

	@ParameterizedTest
	@EnumSource(value = OrderStatus.class, names = "FAILED", mode = EnumSource.Mode.EXCLUDE)
	void isNotDeliveredAgainUnlessItFailed(OrderStatus status) {
		assertThat(refused(status, ORDER)).contains("has not failed");
	}

	@Test
	void isNotDeliveredAgainOnceAGatewayHadItSaved() {
		this.recent.save(this.id, Instant.EPOCH);

		assertThat(refused(OrderStatus.FAILED, ORDER)).contains("has not failed");
	}

	@Test
	void isNotDeliveredAgainWhereItsPayloadIsNoOrder() {
		assertThat(refused(OrderStatus.FAILED, null)).contains("could not be read");
		assertThat(refused(OrderStatus.FAILED, "{\"customerId\":\"c-1\"}")).contains("is not valid");
	}

	@Test
	void saysWhyItIsNotDeliveredAgain() {
		assertThat(StoredOrder.isSaved(this.id)).hasMessageContaining(this.id + " is saved");
		assertThat(StoredOrder.isSaved(this.id).type()).isEqualTo(ProblemType.NOT_REDELIVERABLE);
		assertThat(StoredOrder.notFailed(this.id)).hasMessageContaining(this.id + " has not failed");
	}

	private String refused(OrderStatus status, @Nullable String payload) {
		ProblemException problem = catchThrowableOfType(ProblemException.class,
				() -> redelivery(this.id, status, payload));
		assertThat(problem.type()).isEqualTo(ProblemType.NOT_REDELIVERABLE);
		return problem.getMessage();
	}

	private ValidOrder redelivery(UUID of, OrderStatus status, @Nullable String payload) {
		return new StoredOrder(status, "c-1", payload).forRedelivery(of, this.recent, this.codec);
	}

}
