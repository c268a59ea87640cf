package dev.sluice.gateway.core.status;

import java.time.Instant;
import java.util.UUID;

import dev.sluice.contract.Fingerprint;
import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.OrderView;
import dev.sluice.gateway.core.queue.Acceptance;
import dev.sluice.gateway.core.queue.SyncSave;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RecentOrderTests {

	private static final UUID ID = new UUID(0, 1);

	private static final Instant FIRST = Instant.parse("2026-11-23T10:00:00Z");

	private static final Instant LAST = FIRST.plusSeconds(10);

	private static final Instant SAVED_AT = FIRST.plusSeconds(20);

	private static final Fingerprint ONE = new Fingerprint("01");

	private static final Fingerprint OTHER = new Fingerprint("02");

	private static final Acceptance ACCEPTANCE = new Acceptance(ONE, FIRST, LAST, 0, 1);

	private static final SyncSave SAVE = new SyncSave(OTHER, SAVED_AT, 0);

	private final RecentOrder nothing = new RecentOrder(ID, null, null);

	private final RecentOrder accepted = new RecentOrder(ID, ACCEPTANCE, null);

	private final RecentOrder saved = new RecentOrder(ID, null, SAVE);

	private final RecentOrder both = new RecentOrder(ID, ACCEPTANCE, SAVE);

	@Test
	void believesPostgresThatAnOrderIsSaved() {
		StatusRow row = row(OrderStatus.SAVED, FIRST, FIRST);

		assertThat(this.both.mergedWith(row)).isEqualTo(row.view());
	}

	@Test
	void believesKafkaThatAnOrderIsSavedBeforeAnyOtherStatus() {
		assertThat(this.both.mergedWith(row(OrderStatus.FAILED, LAST, FIRST)))
			.isEqualTo(view(OrderStatus.SAVED, 1, LAST, SAVED_AT));
		assertThat(this.both.mergedWith(row(OrderStatus.FAILED, null, FIRST)))
			.isEqualTo(view(OrderStatus.SAVED, 1, FIRST, SAVED_AT));
	}

	@Test
	void believesAnAcceptanceThatIsLaterThanThatOfTheRow() {
		assertThat(this.accepted.mergedWith(row(OrderStatus.FAILED, null, LAST.minusNanos(1))))
			.isEqualTo(view(OrderStatus.ACCEPTED, 0, FIRST, LAST));
		assertThat(this.accepted.mergedWith(row(OrderStatus.FAILED, LAST, LAST.minusNanos(1))))
			.isEqualTo(view(OrderStatus.ACCEPTED, 0, LAST, LAST));
		StatusRow row = row(OrderStatus.FAILED, FIRST, LAST);
		assertThat(this.accepted.mergedWith(row)).isEqualTo(row.view());
		assertThat(this.nothing.mergedWith(row)).isEqualTo(row.view());
	}

	@Test
	void tellsWhatKafkaKnowsWherePostgresDoesNot() {
		assertThat(this.nothing.alone()).isNull();
		assertThat(this.accepted.alone()).isEqualTo(view(OrderStatus.ACCEPTED, 0, FIRST, LAST));
		assertThat(this.saved.alone()).isEqualTo(view(OrderStatus.SAVED, 1, null, SAVED_AT));
		assertThat(this.both.alone()).isEqualTo(view(OrderStatus.SAVED, 1, FIRST, SAVED_AT));
	}

	private static StatusRow row(OrderStatus status, @Nullable Instant acceptedAt, Instant acceptance) {
		return new StatusRow(view(status, 3, acceptedAt, SAVED_AT), "c-1", acceptance);
	}

	private static OrderView view(OrderStatus status, int attempts, @Nullable Instant acceptedAt, Instant updatedAt) {
		return new OrderView(ID, status, attempts, acceptedAt, updatedAt, null);
	}

}
