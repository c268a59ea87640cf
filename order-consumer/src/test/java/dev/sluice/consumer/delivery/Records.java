package dev.sluice.consumer.delivery;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

import dev.sluice.contract.OrderHeaders;
import dev.sluice.contract.Topics;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/** Builds a record of {@code orders}: a good one, unless a test spoils a part of it. */
public final class Records {

	static final String BODY = """
			{"customerId":"c-1","items":[{"sku":"s-1","quantity":1,"unitPrice":{"amount":"1.50","currency":"EUR"}}]}""";

	static final String TIME = "2026-11-21T10:00:00.123456Z";

	private final Map<String, String> headers = new LinkedHashMap<>();

	private @Nullable String key = "c-1";

	private byte @Nullable [] value = bytes(BODY);

	private Records(String id) {
		this.headers.put(OrderHeaders.ID, id);
		this.headers.put(OrderHeaders.TYPE, OrderHeaders.TYPE_VALUE);
		this.headers.put(OrderHeaders.TIME, TIME);
	}

	static Records order(UUID id) {
		return new Records(id.toString());
	}

	Records key(@Nullable String key) {
		this.key = key;
		return this;
	}

	Records value(@Nullable String value) {
		return value((value != null) ? bytes(value) : null);
	}

	Records value(byte @Nullable [] value) {
		this.value = value;
		return this;
	}

	Records header(String name, @Nullable String value) {
		if (value != null) {
			this.headers.put(name, value);
		}
		else {
			this.headers.remove(name);
		}
		return this;
	}

	ConsumerRecord<byte[], byte[]> at(long offset) {
		return at(3, offset);
	}

	ConsumerRecord<byte[], byte[]> at(int partition, long offset) {
		Headers all = new RecordHeaders();
		this.headers.forEach((name, value) -> all.add(name, bytes(value)));
		byte[] keyBytes = (this.key != null) ? bytes(this.key) : null;
		return new ConsumerRecord<>(Topics.ORDERS, partition, offset, 1_700_000_000_000L, TimestampType.CREATE_TIME,
				(keyBytes != null) ? keyBytes.length : -1, (this.value != null) ? this.value.length : -1, keyBytes,
				this.value, all, Optional.empty());
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
