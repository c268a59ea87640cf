package dev.sluice.sink.sequence;

import java.util.zip.CRC32C;

/**
 * Where a message stands: a repeat has the same place and the same content.
 *
 * @param session whose message it is
 * @param sequence its number in the session, from 1
 */
public record Place(ClientSession session, long sequence) {

	/** The CRC-32C of an id and a payload: what a repeat must have, too. */
	public static int checksum(byte[] id, byte[] payload) {
		CRC32C crc = new CRC32C();
		crc.update(id);
		crc.update(payload);
		return (int) crc.getValue();
	}

}
