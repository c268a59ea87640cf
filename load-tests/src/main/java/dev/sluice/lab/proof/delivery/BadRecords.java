package dev.sluice.lab.proof.delivery;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import java.util.UUID;

import dev.sluice.contract.OrderHeaders;
import dev.sluice.contract.Topics;
import dev.sluice.lab.kit.run.OrderFeed;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Records of {@code orders} that no gateway would write, of every kind in turn. Seed and
 * number determine a record. None can be saved; each must become a dead letter.
 */
final class BadRecords {

	private static final int LARGE = 900_000;

	private final long seed;

	/** The defect of a record. */
	enum Kind {

		NO_KEY, EMPTY_KEY, NO_VALUE, EMPTY_VALUE, NOISE, CUT_VALUE, NO_OBJECT, TRAILING, DEEP, HUGE_NUMBER,
		INVALID_UTF8, UTF16, NO_ID, NO_UUID, ID_BYTES, NO_TIME, NO_CLOCK_TIME, UNKNOWN_TYPE, UNKNOWN_FIELD,
		EMPTY_OBJECT, LARGE_OBJECT, LARGE_QUOTES, NUL, NUL_IN_KEY, LONG_KEY, MANY_HEADERS, NO_HEADERS

	}

	BadRecords(long seed) {
		this.seed = seed;
	}

	static Kind kind(int number) {
		return Kind.values()[number % Kind.values().length];
	}

	ProducerRecord<byte[], byte[]> record(int number) {
		Random random = new Random(this.seed * 31 + number);
		ProducerRecord<byte[], byte[]> good = OrderFeed.order(new UUID(this.seed, number), "customer-" + number % 97);
		byte[] value = good.value();
		return switch (kind(number)) {
			case NO_KEY -> with(good, null, value);
			case EMPTY_KEY -> with(good, new byte[0], value);
			case NO_VALUE -> with(good, good.key(), null);
			case EMPTY_VALUE -> valued(good, "");
			case NOISE -> {
				byte[] noise = new byte[1 + random.nextInt(2_000)];
				random.nextBytes(noise);
				yield with(good, good.key(), noise);
			}
			case CUT_VALUE -> with(good, good.key(), Arrays.copyOf(value, 1 + random.nextInt(value.length - 1)));
			case NO_OBJECT -> valued(good, pick(random, "[]", "null", "1", "\"order\"", "true", "[{}]"));
			case TRAILING -> valued(good, utf8(value) + pick(random, "x", utf8(value), "]", "\0"));
			case DEEP -> valued(good, "{\"a\":".repeat(2_000 + random.nextInt(50_000)));
			case HUGE_NUMBER ->
				valued(good, "{\"customerId\":" + "9".repeat(1 + random.nextInt(50_000)) + "e999999999}");
			case INVALID_UTF8 -> with(good, good.key(), latin1("{\"customerId\":\"\u00c3(\u00ff\"}"));
			case UTF16 -> with(good, good.key(), utf8(value).getBytes(StandardCharsets.UTF_16));
			case NO_ID -> without(good, OrderHeaders.ID);
			case NO_UUID -> header(good, OrderHeaders.ID, pick(random, "", "x", "1-1-1-1-1", "\0", "{}"));
			case ID_BYTES -> {
				byte[] noise = new byte[16];
				random.nextBytes(noise);
				good.headers().remove(OrderHeaders.ID).add(OrderHeaders.ID, noise);
				yield good;
			}
			case NO_TIME -> without(good, OrderHeaders.TIME);
			case NO_CLOCK_TIME ->
				header(good, OrderHeaders.TIME, pick(random, "", "yesterday", "2026-13-01T00:00:00Z", "0"));
			case UNKNOWN_TYPE -> header(good, OrderHeaders.TYPE, "dev.sluice.order.accepted.v999");
			case UNKNOWN_FIELD -> valued(good, utf8(value).replace("\"items\"", "\"things\""));
			case EMPTY_OBJECT -> valued(good, "{}");
			case LARGE_OBJECT -> valued(good, "{\"note\":\"%s\"}".formatted("x".repeat(LARGE)));
			// Exceeds Kafka's record limit when escaped as a string in other JSON.
			case LARGE_QUOTES -> valued(good, "{%s\"b\":1}".formatted(names(random)));
			case NUL -> valued(good, "{\"customerId\":\"a\\u0000b\",\"things\":[]}");
			case NUL_IN_KEY -> with(good, latin1("c\0-1"), latin1("{"));
			case LONG_KEY -> with(good, latin1("k".repeat(100_000)), latin1("{"));
			case MANY_HEADERS -> {
				for (int i = 0; i < 2_000; i++) {
					good.headers().add("h-" + i, (i % 2 == 0) ? null : new byte[] { (byte) i });
				}
				yield valued(good, "{");
			}
			case NO_HEADERS -> new ProducerRecord<>(Topics.ORDERS, good.key(), value);
		};
	}

	private static ProducerRecord<byte[], byte[]> with(ProducerRecord<byte[], byte[]> good, byte @Nullable [] key,
			byte @Nullable [] value) {
		return new ProducerRecord<>(Topics.ORDERS, null, key, value, good.headers());
	}

	private static ProducerRecord<byte[], byte[]> valued(ProducerRecord<byte[], byte[]> good, String value) {
		return with(good, good.key(), value.getBytes(StandardCharsets.UTF_8));
	}

	private static ProducerRecord<byte[], byte[]> without(ProducerRecord<byte[], byte[]> good, String header) {
		good.headers().remove(header);
		return good;
	}

	private static ProducerRecord<byte[], byte[]> header(ProducerRecord<byte[], byte[]> good, String name,
			String value) {
		good.headers().remove(name).add(name, value.getBytes(StandardCharsets.UTF_8));
		return good;
	}

	private static String utf8(byte[] bytes) {
		return new String(bytes, StandardCharsets.UTF_8);
	}

	private static byte[] latin1(String text) {
		return text.getBytes(StandardCharsets.ISO_8859_1);
	}

	/** Random names, which do not compress. */
	private static String names(Random random) {
		StringBuilder names = new StringBuilder();
		while (names.length() < LARGE) {
			names.append('"').append(Long.toString(random.nextLong(), Character.MAX_RADIX)).append("\":\"\",");
		}
		return names.toString();
	}

	private static String pick(Random random, String... of) {
		return of[random.nextInt(of.length)];
	}

}
