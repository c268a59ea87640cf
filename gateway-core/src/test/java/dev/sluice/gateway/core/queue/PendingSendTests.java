package dev.sluice.gateway.core.queue;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;

import dev.sluice.contract.Order;
import dev.sluice.contract.OrderHeaders;
import dev.sluice.contract.Placed;
import dev.sluice.contract.Topics;
import dev.sluice.gateway.core.order.ValidOrder;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.springframework.kafka.core.KafkaTemplate;

import static org.assertj.core.api.Assertions.assertThat;

class PendingSendTests {

	private final PendingSend sending = PendingSend.of(
			new ValidOrder(UUID.randomUUID(), new Order("c-1", null, null), new byte[0], null, null), Instant.EPOCH,
			new byte[0]);

	private MockProducer<String, byte[]> producer = producer();

	@Test
	void mayHaveBeenTakenOnceItWasHandedOver() {
		send();

		assertThat(this.sending.giveUp()).isEqualTo(Placed.UNKNOWN);
	}

	@Test
	void mayHaveBeenTakenWhenTheBrokerDidNotAcknowledge() {
		send();
		this.producer.errorNext(new TimeoutException("expired"));

		assertThat(this.sending.acknowledgement()).isCompletedExceptionally();
		assertThat(this.sending.giveUp()).isEqualTo(Placed.UNKNOWN);
	}

	/**
	 * As a broker refuses the time of a gateway whose clock is more than an hour ahead.
	 */
	@Test
	void wasNotTakenWhenTheBrokerRefusesItsContent() {
		send();
		this.producer.errorNext(new InvalidTimestampException("out of range"));

		assertThat(this.sending.acknowledgement()).isCompletedExceptionally();
		assertThat(this.sending.giveUp()).isEqualTo(Placed.NO);
	}

	@Test
	void wasNotTakenWhenTheProducerThrew() {
		this.producer.sendException = new IllegalStateException("closed");
		send();

		assertThat(this.sending.acknowledgement()).isCompletedExceptionally();
		assertThat(this.sending.giveUp()).isEqualTo(Placed.NO);
	}

	/** Kafka's producer reports a full buffer and missing metadata in this way. */
	@Test
	void wasNotTakenWhenTheProducerRefusedItAtOnce() {
		this.producer = new MockProducer<>(false, null, new StringSerializer(), new ByteArraySerializer()) {

			@Override
			public Future<RecordMetadata> send(ProducerRecord<String, byte[]> message, Callback callback) {
				callback.onCompletion(new RecordMetadata(null, -1, -1, -1, -1, -1), new TimeoutException("no room"));
				return new CompletableFuture<>();
			}

		};
		send();

		assertThat(this.sending.acknowledgement()).isCompletedExceptionally();
		assertThat(this.sending.giveUp()).isEqualTo(Placed.NO);
	}

	@Test
	void mayHaveBeenTakenWhenItFailsOnAnotherThreadMeanwhile() throws Exception {
		CountDownLatch failed = new CountDownLatch(1);
		this.producer = new MockProducer<>(false, null, new StringSerializer(), new ByteArraySerializer()) {

			@Override
			public Future<RecordMetadata> send(ProducerRecord<String, byte[]> message, Callback callback) {
				Thread.ofVirtual().start(() -> {
					callback.onCompletion(null, new TimeoutException("expired"));
					failed.countDown();
				});
				try {
					failed.await();
				}
				catch (InterruptedException ex) {
					throw new IllegalStateException(ex);
				}
				return new CompletableFuture<>();
			}

		};
		send();

		assertThat(this.sending.giveUp()).isEqualTo(Placed.UNKNOWN);
	}

	@Test
	void isNeverSentOnceItWasGivenUp() {
		assertThat(this.sending.giveUp()).isEqualTo(Placed.NO);
		send();

		assertThat(this.producer.history()).isEmpty();
	}

	@Test
	void isARecordThatSaysWhatItIs() {
		UUID id = UUID.randomUUID();
		byte[] json = { '{', '}' };

		PendingSend
			.of(new ValidOrder(id, new Order("c-1", null, null), json, null, "00-trace"), Instant.EPOCH,
					"/gateway".getBytes(StandardCharsets.UTF_8))
			.send(new KafkaTemplate<>(() -> this.producer));

		ProducerRecord<String, byte[]> record = this.producer.history().getFirst();
		assertThat(record.topic()).isEqualTo(Topics.ORDERS);
		assertThat(record.key()).isEqualTo("c-1");
		assertThat(record.value()).isEqualTo(json);
		assertThat(headers(record)).isEqualTo(Map.of(OrderHeaders.ID, id.toString(), OrderHeaders.SOURCE, "/gateway",
				OrderHeaders.SPEC_VERSION, OrderHeaders.SPEC_VERSION_VALUE, OrderHeaders.TYPE, OrderHeaders.TYPE_VALUE,
				OrderHeaders.TIME, "1970-01-01T00:00:00Z", OrderHeaders.CONTENT_TYPE, "application/json",
				OrderHeaders.TRACEPARENT, "00-trace"));
	}

	@Test
	void belongsToNoTraceUnlessItsRequestDoes() {
		send();

		assertThat(headers(this.producer.history().getFirst())).doesNotContainKey(OrderHeaders.TRACEPARENT);
	}

	private static Map<String, String> headers(ProducerRecord<?, ?> record) {
		Map<String, String> headers = new HashMap<>();
		record.headers()
			.forEach((header) -> headers.put(header.key(), new String(header.value(), StandardCharsets.UTF_8)));
		return headers;
	}

	private void send() {
		this.sending.send(new KafkaTemplate<>(() -> this.producer));
	}

	private static MockProducer<String, byte[]> producer() {
		return new MockProducer<>(false, null, new StringSerializer(), new ByteArraySerializer());
	}

}
