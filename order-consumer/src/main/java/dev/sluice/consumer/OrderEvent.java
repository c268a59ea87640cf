package dev.sluice.consumer;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.UUID;

import dev.sluice.contract.OrderHeaders;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * The headers and the key of a record of {@code orders}.
 *
 * @param id the order's id
 * @param customerId the customer of the order
 * @param acceptedAt when a gateway accepted it
 */
public record OrderEvent(UUID id, String customerId, Instant acceptedAt) {

	/** Longest id of a customer. A longer key may not fit into an outcome. */
	private static final int MAX_KEY_BYTES = 64;

	/**
	 * @throws IllegalArgumentException if the key or a header is missing or cannot be
	 * read; the message says which
	 */
	public static OrderEvent of(ConsumerRecord<byte[], byte[]> record) {
		UUID id = id(record);
		String customerId = customerId(record);
		if (customerId == null) {
			throw new IllegalArgumentException("the key, which is the customer's id, is missing or too long");
		}
		String type = text(record, OrderHeaders.TYPE);
		if (type != null && !type.equals(OrderHeaders.TYPE_VALUE)) {
			throw new IllegalArgumentException("header " + OrderHeaders.TYPE + " is unknown: " + type);
		}
		return new OrderEvent(id, customerId, acceptedAt(record));
	}

	/** The customer's id; null if the key is missing, or longer than an id can be. */
	public static @Nullable String customerId(ConsumerRecord<byte[], byte[]> record) {
		byte[] key = record.key();
		return (key != null && key.length > 0 && key.length <= MAX_KEY_BYTES) ? new String(key, StandardCharsets.UTF_8)
				: null;
	}

	/** The order's id alone. The rest of the record may be unreadable. */
	public static UUID id(ConsumerRecord<?, ?> record) {
		String text = required(record, OrderHeaders.ID);
		UUID id = UUID.fromString(text);
		// fromString also accepts 1-1-1-1-1.
		if (!id.toString().equalsIgnoreCase(text)) {
			throw new IllegalArgumentException("header " + OrderHeaders.ID + " is not a UUID: " + text);
		}
		return id;
	}

	/** When a gateway accepted it, or null if the record does not say. */
	public static @Nullable Instant acceptedAtOrNull(ConsumerRecord<?, ?> record) {
		try {
			return acceptedAt(record);
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
	}

	/** A header as text; null if it is missing. */
	public static @Nullable String text(ConsumerRecord<?, ?> record, String name) {
		Header header = record.headers().lastHeader(name);
		return (header != null && header.value() != null) ? new String(header.value(), StandardCharsets.UTF_8) : null;
	}

	private static Instant acceptedAt(ConsumerRecord<?, ?> record) {
		String text = required(record, OrderHeaders.TIME);
		Instant time;
		try {
			time = Instant.parse(text);
		}
		catch (DateTimeParseException ex) {
			throw new IllegalArgumentException("header " + OrderHeaders.TIME + " is not a time: " + text, ex);
		}
		if (time.isBefore(Instant.EPOCH)) {
			throw new IllegalArgumentException("header " + OrderHeaders.TIME + " is before 1970: " + text);
		}
		return time;
	}

	private static String required(ConsumerRecord<?, ?> record, String name) {
		String text = text(record, name);
		if (text == null) {
			throw new IllegalArgumentException("header " + name + " is missing");
		}
		return text;
	}

}
