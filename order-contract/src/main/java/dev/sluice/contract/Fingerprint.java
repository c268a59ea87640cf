package dev.sluice.contract;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Tells whether two orders are the same: the SHA-256 of an order's canonical JSON, which
 * is the value of a record of {@link Topics#ORDERS}. Here, and not where it is used,
 * because who writes it and who compares it must mean the same.
 *
 * @param hex 64 lower-case hexadecimal digits
 */
public record Fingerprint(String hex) implements Comparable<Fingerprint> {

	/** The column {@code order_status.fingerprint}. */
	public static Fingerprint ofBytes(byte[] sha256) {
		return new Fingerprint(HexFormat.of().formatHex(sha256));
	}

	public static Fingerprint ofJson(byte[] json) {
		try {
			return ofBytes(MessageDigest.getInstance("SHA-256").digest(json));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every Java platform has SHA-256", ex);
		}
	}

	/** The order in which PostgreSQL has the bytes. */
	@Override
	public int compareTo(Fingerprint other) {
		return this.hex.compareTo(other.hex);
	}

}
