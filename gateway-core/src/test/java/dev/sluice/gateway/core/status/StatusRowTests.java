package dev.sluice.gateway.core.status;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;

import dev.sluice.contract.Fingerprint;
import dev.sluice.contract.Order;
import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.OrderView;
import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.order.IdempotencyKey;
import dev.sluice.gateway.core.order.Mode;
import dev.sluice.gateway.core.order.Prefer;
import dev.sluice.gateway.core.order.ValidOrder;
import dev.sluice.gateway.core.problem.ProblemException;
import dev.sluice.gateway.core.web.OrderRequest;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** What a client sees that waits for its queued order. */
class StatusRowTests {

	private static final UUID ID = UUID.randomUUID();

	private static final Fingerprint MINE = new Fingerprint("01");

	private static final Fingerprint OTHER = new Fingerprint("02");

	@Test
	void doesNotSayThatARefusedPayloadIsSaved() {
		assertRefused(new KeyUse.Used(null, MINE));
		assertRefused(new KeyUse.Used(OTHER, MINE));
		assertRefused(new KeyUse.Used(OTHER, null));
	}

	@Test
	void saysThatThePayloadIsSaved() {
		assertSaved(new KeyUse.Used(MINE, OTHER), MINE);
		assertSaved(new KeyUse.Used(null, OTHER), MINE);
		assertSaved(null, null);
	}

	/** The consumer may still find that the backend has another payload. */
	@ParameterizedTest
	@EnumSource(value = OrderStatus.class, names = "SAVED", mode = EnumSource.Mode.EXCLUDE)
	void refusesNothingBeforeTheOrderIsSaved(OrderStatus status) {
		StatusRow row = row(status, new KeyUse.Used(OTHER, null));

		assertThat(row.viewFor(request(MINE))).isEqualTo(row.view());
	}

	private static void assertRefused(KeyUse.Used used) {
		assertThatExceptionOfType(ProblemException.class)
			.isThrownBy(() -> row(OrderStatus.SAVED, used).viewFor(request(MINE)))
			.extracting(ProblemException::type)
			.isEqualTo(ProblemType.KEY_REUSED);
	}

	private static void assertSaved(KeyUse.@Nullable Used used, @Nullable Fingerprint fingerprint) {
		StatusRow row = row(OrderStatus.SAVED, used);

		assertThat(row.viewFor(request(fingerprint))).isEqualTo(row.view());
	}

	private static StatusRow row(OrderStatus status, KeyUse.@Nullable Used used) {
		return new StatusRow(new OrderView(ID, status, 1, null, Instant.EPOCH, null), "c-1", Instant.EPOCH, used);
	}

	private static OrderRequest request(@Nullable Fingerprint fingerprint) {
		IdempotencyKey key = (fingerprint != null) ? new IdempotencyKey("k") : null;
		return new OrderRequest(new ValidOrder(ID, new Order("c-1", null, null), new byte[0], fingerprint, null), key,
				new Prefer(true, Mode.QUEUED, Duration.ofSeconds(2)));
	}

}
