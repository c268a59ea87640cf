package dev.sluice.gateway.core.status;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

import dev.sluice.contract.Fingerprint;
import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.OrderView;
import dev.sluice.gateway.core.order.IdempotencyKey;
import dev.sluice.gateway.core.order.OrderCodec;
import dev.sluice.gateway.core.order.OrderIds;
import dev.sluice.gateway.core.order.ValidOrder;
import dev.sluice.gateway.core.problem.ProblemException;
import dev.sluice.gateway.core.queue.FakeRecentOrders;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** An order that failed and is to be delivered again. */
class RecentOrderTests {

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

	/** PostgreSQL may not know it yet. */
	@Test
	void isNotDeliveredAgainOnceAGatewayHadItSaved() {
		this.recent.save(this.id, Instant.EPOCH);

		assertThatExceptionOfType(ProblemException.class)
			.isThrownBy(() -> redelivery(this.id, OrderStatus.FAILED, ORDER))
			.withMessageContaining("has not failed");
	}

	private ValidOrder redelivery(UUID of, OrderStatus status, @Nullable String payload) {
		OrderView view = new OrderView(of, status, 1, null, Instant.EPOCH, null);
		RecentOrder known = RecentOrder.of(of, this.recent)
			.with(Optional.of(new StatusRow(view, "c-1", Instant.EPOCH, null, payload)));
		return known.forRedelivery(known.view(), this.codec);
	}

}
