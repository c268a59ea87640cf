package dev.sluice.sink.format;

import com.google.protobuf.ByteString;

/**
 * A message's id as the key of a map. The ids that a spool makes count up, and
 * {@link ByteString#hashCode} gives about six of 4,096 consecutive ones the same hash.
 *
 * @param hash of the bytes: FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo), 32 bits
 */
public record Id(ByteString bytes, int hash) {

	private static final int OFFSET_BASIS = 0x811c9dc5;

	private static final int PRIME = 0x01000193;

	public static Id of(ByteString bytes) {
		int hash = OFFSET_BASIS;
		for (int i = 0; i < bytes.size(); i++) {
			hash = (hash ^ (bytes.byteAt(i) & 0xff)) * PRIME;
		}
		return new Id(bytes, hash);
	}

	@Override
	public int hashCode() {
		return this.hash;
	}

}
