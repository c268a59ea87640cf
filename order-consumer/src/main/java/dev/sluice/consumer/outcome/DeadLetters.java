package dev.sluice.consumer.outcome;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.BooleanSupplier;

import dev.sluice.consumer.ConsumerMetric;
import dev.sluice.contract.DeadLetterHeaders;
import dev.sluice.contract.Topics;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes records that cannot be delivered to {@code orders-dlt}, unchanged except for
 * more headers. A record that is too large with them is published without its value.
 */
public final class DeadLetters {

	private static final Logger logger = LoggerFactory.getLogger(DeadLetters.class);

	/** The bound in the contract. */
	private static final int MAX_STACK_BYTES = 8 * 1024;

	private static final int MAX_REASON_BYTES = 1024;

	private final ReliablePublisher publisher;

	private final MeterRegistry registry;

	public DeadLetters(ReliablePublisher publisher, MeterRegistry registry) {
		this.publisher = publisher;
		this.registry = registry;
		for (DeadLetterKind kind : DeadLetterKind.values()) {
			counter(kind);
		}
	}

	private Counter counter(DeadLetterKind kind) {
		return ConsumerMetric.DEAD_LETTERS.counter(this.registry, "kind", kind.text());
	}

	/**
	 * @param reason one line for operators
	 * @param attempts number of attempts
	 * @param cause the exception whose stack trace is added, or null
	 * @return whether Kafka has acknowledged it; false only if it is no longer wanted
	 */
	public boolean publish(ConsumerRecord<byte[], byte[]> record, DeadLetterKind kind, String reason, int attempts,
			@Nullable Exception cause, BooleanSupplier wanted) throws InterruptedException {
		Headers headers = new RecordHeaders(record.headers());
		put(headers, DeadLetterHeaders.KIND, kind.text());
		put(headers, DeadLetterHeaders.REASON, reason, MAX_REASON_BYTES);
		headers.remove(DeadLetterHeaders.STACK);
		if (cause != null) {
			put(headers, DeadLetterHeaders.STACK, stack(cause), MAX_STACK_BYTES);
		}
		put(headers, DeadLetterHeaders.ATTEMPTS, Integer.toString(attempts));
		put(headers, DeadLetterHeaders.ORIGINAL_TOPIC, record.topic());
		put(headers, DeadLetterHeaders.ORIGINAL_PARTITION, Integer.toString(record.partition()));
		put(headers, DeadLetterHeaders.ORIGINAL_OFFSET, Long.toString(record.offset()));
		put(headers, DeadLetterHeaders.ORIGINAL_TIMESTAMP, Long.toString(record.timestamp()));
		boolean published = publish(record, headers, wanted);
		if (published) {
			counter(kind).increment();
			logger.warn("The record at offset {} of {}-{} is a dead letter ({}): {}", record.offset(), record.topic(),
					record.partition(), kind.text(), reason);
		}
		return published;
	}

	private boolean publish(ConsumerRecord<byte[], byte[]> record, Headers headers, BooleanSupplier wanted)
			throws InterruptedException {
		try {
			return this.publisher.publish(letter(record, record.value(), headers), wanted);
		}
		catch (RecordTooLargeException ex) {
			// The headers name the original record.
			logger.warn(
					"The record at offset {} of {}-{} becomes a dead letter without its value, which is too large for {}: {}",
					record.offset(), record.topic(), record.partition(), Topics.ORDERS_DLT, ex.getMessage());
			return this.publisher.publish(letter(record, null, headers), wanted);
		}
	}

	private static ProducerRecord<byte[], byte[]> letter(ConsumerRecord<byte[], byte[]> record, byte @Nullable [] value,
			Headers headers) {
		return new ProducerRecord<>(Topics.ORDERS_DLT, null, record.key(), value, headers);
	}

	private static void put(Headers headers, String name, String value) {
		put(headers, name, value, Integer.MAX_VALUE);
	}

	/** Replaces the header: a redelivered record may have it from its first delivery. */
	private static void put(Headers headers, String name, String value, int longestBytes) {
		byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
		headers.remove(name);
		headers.add(name, Arrays.copyOf(bytes, Math.min(bytes.length, longestBytes)));
	}

	private static String stack(Exception cause) {
		StringWriter text = new StringWriter();
		cause.printStackTrace(new PrintWriter(text));
		return text.toString();
	}

}
