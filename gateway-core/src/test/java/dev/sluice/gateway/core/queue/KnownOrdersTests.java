package dev.sluice.gateway.core.queue;

import java.time.Instant;
import java.util.UUID;

import dev.sluice.contract.Fingerprint;
import dev.sluice.gateway.core.queue.RecentOrders.Acceptance;
import dev.sluice.gateway.core.queue.RecentOrders.SyncSave;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class KnownOrdersTests {

	private static final UUID ID = UUID.randomUUID();

	private static final Instant TIME = Instant.parse("2026-11-23T10:00:00Z");

	private static final Fingerprint PAYLOAD = Fingerprint.ofJson(new byte[] { '1' });

	private static final Fingerprint OTHER = Fingerprint.ofJson(new byte[] { '2' });

	private final KnownOrders orders = new KnownOrders();

	@Test
	void knowsASaveWhileItsOutcomeIsOnItsWay() {
		this.orders.publishing(ID, PAYLOAD, TIME);

		assertThat(this.orders.syncSave(ID)).isEqualTo(new SyncSave(PAYLOAD, TIME, -1));
		assertThat(this.orders.size()).isEqualTo(1);
	}

	@Test
	void forgetsASaveWhoseOutcomeWasNotPublished() {
		this.orders.publishing(ID, null, TIME);

		this.orders.notPublished(ID);

		assertThat(this.orders.syncSave(ID)).isNull();
	}

	@Test
	void keepsAPublishedSaveUntilItIsRead() {
		this.orders.publishing(ID, PAYLOAD, TIME);

		this.orders.published(ID, 7, true);
		this.orders.notPublished(ID);

		assertThat(this.orders.syncSave(ID)).isEqualTo(new SyncSave(PAYLOAD, TIME, 7));
	}

	@Test
	void forgetsAPublishedSaveThatWasReadAndForgottenBefore() {
		this.orders.publishing(ID, null, TIME);

		this.orders.published(ID, 7, false);

		assertThat(this.orders.syncSave(ID)).isNull();
	}

	@Test
	void believesWhatItHasRead() {
		SyncSave read = new SyncSave(PAYLOAD, TIME, 5);
		this.orders.publishing(ID, null, TIME.plusSeconds(1));
		this.orders.save(ID, read);

		this.orders.published(ID, 5, false);
		this.orders.publishing(ID, null, TIME.plusSeconds(2));

		assertThat(this.orders.syncSave(ID)).isEqualTo(read);
	}

	@Test
	void forgetsUpToAnOffset() {
		this.orders.save(ID, new SyncSave(null, TIME, 5));
		this.orders.accept(ID, new Acceptance(null, TIME, TIME, 5, 5));

		this.orders.forgetSave(ID, 5);
		this.orders.forgetAcceptance(ID, 5);
		assertThat(this.orders.size()).isEqualTo(2);
		this.orders.forgetSave(ID, 6);
		this.orders.forgetAcceptance(ID, 6);

		assertThat(this.orders.size()).isZero();
	}

	@Test
	void takesAnotherAcceptanceOfTheSamePayloadForARedelivery() {
		this.orders.accept(ID, new Acceptance(PAYLOAD, TIME, TIME, 1, 1));

		this.orders.accept(ID, new Acceptance(PAYLOAD, TIME.plusSeconds(9), TIME.plusSeconds(9), 4, 4));

		assertThat(this.orders.acceptance(ID)).isEqualTo(new Acceptance(PAYLOAD, TIME, TIME.plusSeconds(9), 1, 4));
	}

	@Test
	void takesTheFirstPayloadInTheTopicHoweverTheyAreRead() {
		Acceptance first = new Acceptance(PAYLOAD, TIME, TIME, 1, 1);
		Acceptance later = new Acceptance(OTHER, TIME.plusSeconds(9), TIME.plusSeconds(9), 4, 4);

		this.orders.accept(ID, later);
		this.orders.accept(ID, first);

		assertThat(this.orders.acceptance(ID)).isEqualTo(new Acceptance(PAYLOAD, TIME, TIME, 1, 4));
	}

}
