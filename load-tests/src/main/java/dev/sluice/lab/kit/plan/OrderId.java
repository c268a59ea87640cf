package dev.sluice.lab.kit.plan;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.UUID;

/** The id of an order with an idempotency key, as the gateways promise to derive it. */
public final class OrderId {

	private OrderId() {
	}

	/** A UUIDv8 of the SHA-256 of customer, a zero byte and key. */
	public static UUID of(String customer, String key) {
		MessageDigest sha256 = sha256();
		sha256.update(customer.getBytes(StandardCharsets.UTF_8));
		sha256.update((byte) 0);
		sha256.update(key.getBytes(StandardCharsets.UTF_8));
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
