package dev.sluice.contract;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Identifies the content of an order: the SHA-256 of its canonical JSON, which is the
 * value of a record of {@link Topics#ORDERS}. It is part of the contract, because all
 * services must compute it in the same way.
 *
 * @param hex 64 lower-case hexadecimal digits
 */
public record Fingerprint(String hex) {

	public static Fingerprint ofJson(byte[] json) {
		return new Fingerprint(HexFormat.of().formatHex(sha256(json)));
	}

	public static byte[] sha256(byte[] bytes) {
		try {
			return MessageDigest.getInstance("SHA-256").digest(bytes);
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every Java platform has SHA-256", ex);
		}
	}

}
