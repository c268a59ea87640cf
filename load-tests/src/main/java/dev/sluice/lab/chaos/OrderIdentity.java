package dev.sluice.lab.chaos;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.UUID;

/**
 * The orders of a load by their numbers: customer, idempotency key and id follow from the
 * number, so none of them is kept. The id is derived as the gateways promise to: also of
 * an order that nobody ever answered it is known. Each answer that names an id is held
 * against it.
 *
 * @param token of the load; part of each key
 */
public record OrderIdentity(String token) {

	/** Many enough for every partition, few enough for many orders of each. */
	private static final int CUSTOMERS = 997;

	public String customer(int order) {
		return "customer-" + order % CUSTOMERS;
	}

	public String key(int order) {
		return this.token + "-" + order;
	}

	/** A UUIDv8 of the SHA-256 of customer, a zero byte and key. */
	public UUID id(int order) {
		MessageDigest sha256 = sha256();
		sha256.update(customer(order).getBytes(StandardCharsets.UTF_8));
		sha256.update((byte) 0);
		sha256.update(key(order).getBytes(StandardCharsets.UTF_8));
		ByteBuffer hash = ByteBuffer.wrap(sha256.digest());
		long high = (hash.getLong() & 0xffff_ffff_ffff_0fffL) | 0x8000L;
		long low = (hash.getLong() & 0x3fff_ffff_ffff_ffffL) | 0x8000_0000_0000_0000L;
		return new UUID(high, low);
	}

	private static MessageDigest sha256() {
		try {
			return MessageDigest.getInstance("SHA-256");
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every Java platform has SHA-256", ex);
		}
	}

}
