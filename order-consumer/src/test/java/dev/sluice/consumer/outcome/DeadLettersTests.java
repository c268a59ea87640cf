package dev.sluice.consumer.outcome;

import java.nio.charset.StandardCharsets;
import java.util.Optional;

import dev.sluice.consumer.TestProducer;
import dev.sluice.consumer.Time;
import dev.sluice.contract.DeadLetterHeaders;
import dev.sluice.contract.Topics;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class DeadLettersTests {

	private final TestProducer kafka = new TestProducer();

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	private final DeadLetters letters = new DeadLetters(
			new ReliablePublisher(() -> this.kafka, ReliablePublisher.defaultBackoff(() -> 0), Time.SYSTEM),
			this.registry);

	private final RecordHeaders headers = new RecordHeaders();

	/** Also if it was a dead letter before, for another reason. */
	@Test
	void keepsTheRecordAndSaysWhereItCameFrom() throws InterruptedException {
		this.headers.add("mine", bytes("kept"))
			.add(DeadLetterHeaders.KIND, bytes("unreadable"))
			.add(DeadLetterHeaders.ATTEMPTS, bytes("0"))
			.add(DeadLetterHeaders.STACK, bytes("an exception that was fixed long ago"));

		assertThat(publish("refused", 4, null)).isTrue();

		ProducerRecord<byte[], byte[]> letter = letter();
		assertThat(letter.topic()).isEqualTo(Topics.ORDERS_DLT);
		assertThat(letter.key()).asString(StandardCharsets.UTF_8).isEqualTo("c-1");
		assertThat(letter.value()).asString(StandardCharsets.UTF_8).isEqualTo("{}");
		assertThat(header("mine")).isEqualTo("kept");
		assertThat(letter.headers().headers(DeadLetterHeaders.KIND)).hasSize(1);
		assertThat(header(DeadLetterHeaders.KIND)).isEqualTo("rejected");
		assertThat(header(DeadLetterHeaders.REASON)).isEqualTo("refused");
		assertThat(header(DeadLetterHeaders.ATTEMPTS)).isEqualTo("4");
		assertThat(header(DeadLetterHeaders.ORIGINAL_TOPIC)).isEqualTo(Topics.ORDERS);
		assertThat(header(DeadLetterHeaders.ORIGINAL_PARTITION)).isEqualTo("3");
		assertThat(header(DeadLetterHeaders.ORIGINAL_OFFSET)).isEqualTo("7");
		assertThat(header(DeadLetterHeaders.ORIGINAL_TIMESTAMP)).isEqualTo("1234");
		assertThat(header(DeadLetterHeaders.STACK)).isNull();
	}

	@Test
	void shortensAReasonAndAStackTraceThatAreLong() throws InterruptedException {
		publish("r".repeat(1024), 1, null);
		assertThat(header(DeadLetterHeaders.REASON)).isEqualTo("r".repeat(1024));
		this.kafka.clear();

		publish("r".repeat(1025), 1, new IllegalArgumentException("x".repeat(9000)));

		assertThat(header(DeadLetterHeaders.REASON)).isEqualTo("r".repeat(1024));
		assertThat(header(DeadLetterHeaders.STACK)).startsWith("java.lang.IllegalArgumentException: xxx")
			.hasSize(8 * 1024);
	}

	@Test
	void countsWhatKafkaHasAcknowledged() throws InterruptedException {
		assertThat(counted()).isZero();
		publish("refused", 1, null);
		assertThat(counted()).isEqualTo(1);

		this.kafka.refuses = (_) -> new TimeoutException("no acknowledgement");

		assertThat(publish("refused", 1, null)).isFalse();
		assertThat(counted()).isEqualTo(1);
		this.kafka.refuses = (record) -> (record.value() != null) ? new RecordTooLargeException("too large")
				: new TimeoutException("no acknowledgement");
		assertThat(publish("refused", 1, null)).isFalse();
		assertThat(counted()).isEqualTo(1);
	}

	/** Kafka compresses: a few kilobytes in the topic may be megabytes of headers. */
	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void leavesOutTheValueOfARecordThatIsTooLargeAndItsHeadersIfTheyAre(boolean headers) throws InterruptedException {
		this.headers.add("mine", bytes("as if it were long"));
		this.kafka.refuses = (
				record) -> (record.value() != null || (headers && record.headers().lastHeader("mine") != null))
						? new RecordTooLargeException("too large") : null;

		assertThat(publish("refused", 1, null)).isTrue();

		assertThat(letter().value()).isNull();
		assertThat(letter().key()).isEqualTo(headers ? null : bytes("c-1"));
		assertThat(header("mine")).isEqualTo(headers ? null : "as if it were long");
		assertThat(header(DeadLetterHeaders.KIND)).isEqualTo("rejected");
		assertThat(header(DeadLetterHeaders.ORIGINAL_OFFSET)).isEqualTo("7");
		assertThat(counted()).isEqualTo(1);
	}

	private boolean publish(String reason, int attempts, @Nullable Exception cause) throws InterruptedException {
		ConsumerRecord<byte[], byte[]> record = new ConsumerRecord<>(Topics.ORDERS, 3, 7, 1234,
				TimestampType.CREATE_TIME, 3, 2, bytes("c-1"), bytes("{}"), this.headers, Optional.empty());
		return this.letters.publish(record, DeadLetterKind.REJECTED, reason, attempts, cause, () -> false);
	}

	private ProducerRecord<byte[], byte[]> letter() {
		assertThat(this.kafka.history()).hasSize(1);
		return this.kafka.history().getFirst();
	}

	private @Nullable String header(String name) {
		return TestProducer.header(letter(), name);
	}

	private double counted() {
		return this.registry.get("sluice.dead.letters").tag("kind", "rejected").counter().count();
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
