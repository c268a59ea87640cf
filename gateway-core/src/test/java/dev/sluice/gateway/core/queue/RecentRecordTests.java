package dev.sluice.gateway.core.queue;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

import dev.sluice.contract.Fingerprint;
import dev.sluice.contract.OrderHeaders;
import dev.sluice.contract.OrderOutcome;
import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.Topics;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

class RecentRecordTests {

	private static final UUID RANDOM = UUID.fromString("019ab000-0000-7000-8000-000000000001");

	/** Derived from an idempotency key. */
	private static final UUID DERIVED = UUID.fromString("019ab000-0000-8000-8000-000000000001");

	private static final Instant TIME = Instant.parse("2026-11-23T10:00:00.123456Z");

	private static final byte[] ORDER = "{\"a\":1}".getBytes(StandardCharsets.UTF_8);

	private static final Fingerprint FINGERPRINT = Fingerprint.ofJson(ORDER);

	@Test
	void readsAnAcceptance() {
		assertThat(order(RANDOM.toString(), TIME.toString(), ORDER)).isEqualTo(new RecentRecord(RANDOM, null, TIME, 7));
	}

	@Test
	void knowsThePayloadOfAnOrderWithAKey() {
		assertThat(order(DERIVED.toString(), TIME.toString(), ORDER))
			.isEqualTo(new RecentRecord(DERIVED, FINGERPRINT, TIME, 7));
	}

	@Test
	void keepsTimesAsPostgresqlDoes() {
		assertThat(order(RANDOM.toString(), "2026-11-23T10:00:00.123456789Z", ORDER))
			.isEqualTo(new RecentRecord(RANDOM, null, TIME, 7));
	}

	@Test
	void skipsOrdersThatCannotBeRead() {
		assertThat(order(null, TIME.toString(), ORDER)).isNull();
		assertThat(order("1", TIME.toString(), ORDER)).isNull();
		assertThat(order(RANDOM.toString(), null, ORDER)).isNull();
		assertThat(order(RANDOM.toString(), "today", ORDER)).isNull();
		assertThat(order(RANDOM.toString(), TIME.toString(), null)).isNull();
	}

	@Test
	void readsASynchronousSave() {
		OrderOutcome outcome = OrderOutcome.savedSync(DERIVED, "c-1", TIME, FINGERPRINT);

		assertThat(outcome(outcome.key(), json(outcome))).isEqualTo(new RecentRecord(DERIVED, FINGERPRINT, TIME, 7));
	}

	@Test
	void readsASynchronousSaveWithoutAKey() {
		OrderOutcome outcome = new OrderOutcome(RANDOM, "c-1", OrderStatus.SAVED, 1, TIME, null, null, null);

		assertThat(outcome(outcome.key(), json(outcome))).isEqualTo(new RecentRecord(RANDOM, null, TIME, 7));
	}

	@Test
	void skipsOutcomesOfQueuedOrders() {
		OrderOutcome outcome = new OrderOutcome(RANDOM, "c-1", OrderStatus.SAVED, 1, TIME, TIME, null, null);

		assertThat(outcome(outcome.key(), json(outcome))).isNull();
	}

	@Test
	void skipsOutcomesThatCannotBeRead() {
		OrderOutcome outcome = new OrderOutcome(RANDOM, "c-1", OrderStatus.SAVED, 1, TIME, null, null, null);

		assertThat(outcome(null, json(outcome))).isNull();
		assertThat(outcome(outcome.key(), null)).isNull();
		assertThat(outcome(outcome.key(), new byte[] { '[' })).isNull();
	}

	/** One such record must not end the reading. */
	@ParameterizedTest
	@ValueSource(strings = { "null", "{\"attempts\":1,\"at\":\"2026-11-23T10:00:00Z\"}",
			"{\"attempts\":1,\"orderId\":\"019ab000-0000-7000-8000-000000000001\"}" })
	void skipsOutcomesThatLackTheOrderOrTheTime(String value) {
		assertThat(outcome(RANDOM + "/saved/sync", value.getBytes(StandardCharsets.UTF_8))).isNull();
	}

	private static @Nullable RecentRecord order(@Nullable String id, @Nullable String time, byte @Nullable [] value) {
		RecordHeaders headers = new RecordHeaders();
		if (id != null) {
			headers.add(OrderHeaders.ID, id.getBytes(StandardCharsets.UTF_8));
		}
		if (time != null) {
			headers.add(OrderHeaders.TIME, time.getBytes(StandardCharsets.UTF_8));
		}
		return parsed(Topics.ORDERS, null, value, headers);
	}

	private static @Nullable RecentRecord outcome(@Nullable String key, byte @Nullable [] value) {
		return parsed(Topics.ORDER_OUTCOMES, (key != null) ? key.getBytes(StandardCharsets.UTF_8) : null, value,
				new RecordHeaders());
	}

	private static byte[] json(OrderOutcome outcome) {
		return JsonMapper.shared().writeValueAsBytes(outcome);
	}

	private static @Nullable RecentRecord parsed(String topic, byte @Nullable [] key, byte @Nullable [] value,
			RecordHeaders headers) {
		return RecentRecord.of(new ConsumerRecord<>(topic, 3, 7, 99, TimestampType.CREATE_TIME, -1, -1, key, value,
				headers, Optional.empty()), JsonMapper.shared());
	}

}
