package dev.sluice.lab.kit.plan;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

import dev.sluice.contract.Fingerprint;

/**
 * The orders of a load by number. Customer, content, idempotency key and id follow from
 * the number, so none of them is kept. The id is derived as the gateways promise to
 * derive it, so it is known even for an order that was never answered. Each id in an
 * answer is compared with it.
 *
 * @param token unique for the load; part of each key
 */
public record OrderIdentity(String token) {

	/** Enough for every partition, and few enough that each has many orders. */
	private static final int CUSTOMERS = 997;

	public static String customer(int order) {
		return "customer-" + order % CUSTOMERS;
	}

	/** An order's JSON, the same each time. */
	public static String body(int order, int items) {
		StringBuilder body = new StringBuilder("{\"customerId\":\"").append(customer(order)).append("\",\"items\":[");
		for (int i = 0; i < items; i++) {
			body.append((i > 0) ? ",{\"sku\":\"sku-" : "{\"sku\":\"sku-")
				.append((order + i) % 97)
				.append("\",\"quantity\":")
				.append((order + i) % 9 + 1)
				.append(",\"unitPrice\":{\"amount\":\"19.99\",\"currency\":\"EUR\"}}");
		}
		return body.append("]}").toString();
	}

	public String key(int order) {
		return this.token + "-" + order;
	}

	public UUID id(int order) {
		return id(customer(order), key(order));
	}

	/**
	 * The id of an order with an idempotency key: a UUIDv8 of the SHA-256 of customer, a
	 * zero byte and key.
	 */
	private static UUID id(String customer, String key) {
		ByteBuffer hash = ByteBuffer.wrap(Fingerprint.sha256((customer + "\0" + key).getBytes(StandardCharsets.UTF_8)));
		long high = (hash.getLong() & 0xffff_ffff_ffff_0fffL) | 0x8000L;
		long low = (hash.getLong() & 0x3fff_ffff_ffff_ffffL) | 0x8000_0000_0000_0000L;
		return new UUID(high, low);
	}

}
