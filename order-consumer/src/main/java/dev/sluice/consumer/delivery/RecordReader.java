package dev.sluice.consumer.delivery;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

import dev.sluice.consumer.OrderEvent;
import dev.sluice.consumer.backend.QueuedOrder;
import dev.sluice.contract.OrderHeaders;
import dev.sluice.topics.BoundedBytesDeserializer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/**
 * Reads the headers of a record of {@code orders} and checks that its value is one JSON
 * object. The backend gets the value byte for byte. The gateway has validated the order,
 * and the backend decides about it.
 */
final class RecordReader {

	private static final Pattern TRACEPARENT = Pattern.compile("[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}");

	private final JsonFactory json = new JsonFactory();

	/**
	 * @throws IllegalArgumentException if the record is not an order; the message says
	 * why
	 */
	QueuedOrder read(ConsumerRecord<byte[], byte[]> record) {
		OrderEvent event = OrderEvent.of(record);
		byte[] value = record.value();
		if (record.serializedValueSize() > BoundedBytesDeserializer.MAX_BYTES) {
			throw new IllegalArgumentException("the value is too large: " + record.serializedValueSize() + " bytes");
		}
		if (value == null || value.length == 0) {
			throw new IllegalArgumentException("the value is missing");
		}
		requireJsonObject(value);
		return new QueuedOrder(event.id(), event.customerId(), event.acceptedAt(), traceparent(record), value);
	}

	private void requireJsonObject(byte[] value) {
		try (JsonParser parser = this.json.createParser(ObjectReadContext.empty(), text(value))) {
			if (parser.nextToken() != JsonToken.START_OBJECT) {
				throw new IllegalArgumentException("the value is not a JSON object");
			}
			parser.skipChildren();
			if (parser.nextToken() != null) {
				throw new IllegalArgumentException("the value continues after its JSON object");
			}
		}
		catch (JacksonException ex) {
			throw new IllegalArgumentException("the value is not JSON: " + ex.getOriginalMessage(), ex);
		}
	}

	/** Jackson also accepts UTF-16 and UTF-32, which the gateways refuse. */
	private static String text(byte[] value) {
		try {
			return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(value)).toString();
		}
		catch (CharacterCodingException ex) {
			throw new IllegalArgumentException("the value is not well-formed UTF-8", ex);
		}
	}

	/** Ignores a malformed trace context: it must not fail the order. */
	private static @Nullable String traceparent(ConsumerRecord<?, ?> record) {
		String text = OrderEvent.text(record, OrderHeaders.TRACEPARENT);
		return (text != null && TRACEPARENT.matcher(text).matches()) ? text : null;
	}

}
