package dev.sluice.gateway.core.queue;

import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;

import dev.sluice.contract.Order;
import dev.sluice.contract.Placed;
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

	private final PendingSend sending = new PendingSend(
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

	private void send() {
		this.sending.send(new KafkaTemplate<>(() -> this.producer));
	}

	private static MockProducer<String, byte[]> producer() {
		return new MockProducer<>(false, null, new StringSerializer(), new ByteArraySerializer());
	}

}
