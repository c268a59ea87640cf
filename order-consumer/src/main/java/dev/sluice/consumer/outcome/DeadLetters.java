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
 * more headers. A record that is too large with them is published without its value, or
 * with these headers alone.
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
		Headers own = new RecordHeaders();
		put(own, DeadLetterHeaders.KIND, kind.text());
		put(own, DeadLetterHeaders.REASON, reason, MAX_REASON_BYTES);
		if (cause != null) {
			put(own, DeadLetterHeaders.STACK, stack(cause), MAX_STACK_BYTES);
		}
		put(own, DeadLetterHeaders.ATTEMPTS, Integer.toString(attempts));
		put(own, DeadLetterHeaders.ORIGINAL_TOPIC, record.topic());
		put(own, DeadLetterHeaders.ORIGINAL_PARTITION, Integer.toString(record.partition()));
		put(own, DeadLetterHeaders.ORIGINAL_OFFSET, Long.toString(record.offset()));
		put(own, DeadLetterHeaders.ORIGINAL_TIMESTAMP, Long.toString(record.timestamp()));
		boolean published = publish(record, own, wanted);
		if (published) {
			counter(kind).increment();
			logger.warn("The record at offset {} of {}-{} is a dead letter ({}): {}", record.offset(), record.topic(),
					record.partition(), kind.text(), reason);
		}
		return published;
	}

	private boolean publish(ConsumerRecord<byte[], byte[]> record, Headers own, BooleanSupplier wanted)
			throws InterruptedException {
		Headers all = new RecordHeaders(record.headers());
		// A redelivered record may have them from its first delivery.
		all.remove(DeadLetterHeaders.STACK);
		own.forEach((header) -> all.remove(header.key()).add(header));
		try {
			return this.publisher.publish(letter(record.key(), record.value(), all), wanted);
		}
		catch (RecordTooLargeException ex) {
			// The headers name the original record.
			logger.warn(
					"The record at offset {} of {}-{} becomes a dead letter without its value, which is too large for {}: {}",
					record.offset(), record.topic(), record.partition(), Topics.ORDERS_DLT, ex.getMessage());
		}
		try {
			return this.publisher.publish(letter(record.key(), null, all), wanted);
		}
		catch (RecordTooLargeException ex) {
			logger.warn("Its key and its headers are too large as well: {}", ex.getMessage());
			return this.publisher.publish(letter(null, null, own), wanted);
		}
	}

	private static ProducerRecord<byte[], byte[]> letter(byte @Nullable [] key, byte @Nullable [] value,
			Headers headers) {
		return new ProducerRecord<>(Topics.ORDERS_DLT, null, key, value, headers);
	}

	private static void put(Headers headers, String name, String value) {
		put(headers, name, value, Integer.MAX_VALUE);
	}

	private static void put(Headers headers, String name, String value, int longestBytes) {
		byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
		headers.add(name, Arrays.copyOf(bytes, Math.min(bytes.length, longestBytes)));
	}

	private static String stack(Exception cause) {
		StringWriter text = new StringWriter();
		cause.printStackTrace(new PrintWriter(text));
		return text.toString();
	}

}
