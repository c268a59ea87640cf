package dev.sluice.gateway.core.status;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

import dev.sluice.contract.OrderView;
import dev.sluice.gateway.core.status.StatusRow.Columns;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

class StatusRowTests {

	private static final UUID ID = new UUID(0, 1);

	private static final Instant TIME = Instant.parse("2026-11-23T10:00:00Z");

	private final Map<String, @Nullable Object> columns = new HashMap<>();

	StatusRowTests() {
		this.columns.put("order_id", ID);
		this.columns.put("status", "failed");
		this.columns.put("attempts", 3);
		this.columns.put("accepted_at", at(1));
		this.columns.put("updated_at", at(2));
		this.columns.put("acceptance", at(3));
		this.columns.put("reason", "why");
		this.columns.put("customer_id", "c-1");
		this.columns.put("payload", "{}");
	}

	@Test
	void aSyncOrderWasNeverAcceptedAndHasNoReason() {
		this.columns.put("accepted_at", null);
		this.columns.put("reason", null);

		OrderView view = StatusRow.view(columns());

		assertThat(view.acceptedAt()).isNull();
		assertThat(view.reason()).isNull();
	}

	@Test
	void namesAColumnThatIsMissing() {
		this.columns.remove("customer_id");

		assertThatNullPointerException().isThrownBy(() -> StatusRow.of(columns())).withMessage("customer_id");
	}

	private Columns<RuntimeException> columns() {
		return new Columns<>() {

			@Override
			public <T> @Nullable T get(String column, Class<T> type) {
				return type.cast(StatusRowTests.this.columns.get(column));
			}

		};
	}

	private static OffsetDateTime at(int seconds) {
		return TIME.plusSeconds(seconds).atOffset(ZoneOffset.UTC);
	}

}
