package dev.sluice.consumer.outcome;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

import dev.sluice.consumer.TestProducer;
import dev.sluice.consumer.Time;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class ReliablePublisherTests {

	private static final BooleanSupplier WANTED = () -> true;

	private final ProducerRecord<byte[], byte[]> record = new ProducerRecord<>("order-outcomes", new byte[] { 1 });

	private final List<Duration> waits = new ArrayList<>();

	private final TestProducer kafka = new TestProducer();

	private final ReliablePublisher publisher = new ReliablePublisher(() -> this.kafka,
			ReliablePublisher.defaultBackoff(() -> 1), new Time() {

				@Override
				public void sleep(Duration duration) {
					ReliablePublisherTests.this.waits.add(duration);
				}

			});

	@Test
	void takesNoRefusalForAnAcknowledgement() throws InterruptedException {
		this.kafka.failures.add(new TimeoutException("no acknowledgement"));

		assertThat(this.publisher.publish(this.record, () -> false)).isFalse();

		assertThat(this.kafka.history()).isEmpty();
		assertThat(this.waits).as("nothing to wait for").isEmpty();
	}

	@Test
	void waitsLongerAfterEachFailure() throws InterruptedException {
		for (int i = 0; i < 3; i++) {
			this.kafka.failures.add(new TimeoutException("no acknowledgement"));
		}

		assertThat(this.publisher.publish(this.record, WANTED)).isTrue();

		assertThat(this.kafka.history()).containsExactly(this.record);
		assertThat(this.waits).containsExactly(Duration.ofMillis(100), Duration.ofMillis(200), Duration.ofMillis(400));
	}

	@Test
	void retriesWhatTheProducerDoesNotTake() throws InterruptedException {
		this.kafka.throwing = true;
		this.kafka.failures.add(new KafkaException("Kafka's host name cannot be resolved"));

		assertThat(this.publisher.publish(this.record, WANTED)).isTrue();

		assertThat(this.waits).hasSize(1);
		assertThat(this.kafka.history()).containsExactly(this.record);
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@ExtendWith(OutputCaptureExtension.class)
	void tellsOnceThatKafkaFailsAndOnceThatItIsBack(boolean atOnce, CapturedOutput output) throws InterruptedException {
		this.kafka.throwing = atOnce;
		for (int i = 0; i < 3; i++) {
			this.kafka.failures.add(new TimeoutException("no acknowledgement"));
		}

		for (int i = 0; i < 3; i++) {
			this.publisher.publish(this.record, WANTED);
		}

		assertThat(output).containsOnlyOnce("Kafka does not acknowledge a record of order-outcomes")
			.contains("no acknowledgement")
			.containsOnlyOnce("Kafka acknowledges records again");
	}

	@Test
	void tellsOfARecordThatIsTooLarge() {
		RecordTooLargeException tooLarge = new RecordTooLargeException("too large");
		this.kafka.failures.add(tooLarge);

		assertThatExceptionOfType(RecordTooLargeException.class)
			.isThrownBy(() -> this.publisher.publish(this.record, WANTED))
			.isSameAs(tooLarge);
	}

	@Test
	void endsWhenTheProducerIsInterrupted() {
		this.kafka.throwing = true;
		// Interrupts the thread again, as Kafka's client does.
		this.kafka.failures.add(new InterruptException("interrupted"));

		assertThatExceptionOfType(InterruptedException.class)
			.isThrownBy(() -> this.publisher.publish(this.record, WANTED));
		assertThat(Thread.interrupted()).isFalse();
	}

}
