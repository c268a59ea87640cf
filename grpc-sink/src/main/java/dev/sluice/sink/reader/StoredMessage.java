package dev.sluice.sink.reader;

import java.time.Instant;

import com.google.protobuf.ByteString;
import org.jspecify.annotations.Nullable;

/**
 * A message as it is stored.
 *
 * @param partition of the topic; 0 in a log
 * @param offset in the partition, or the record's number in the log
 * @param storedAt when the sink wrote it, by the sink's clock
 * @param id as its client named it
 * @param key the routing key; empty = none
 * @param session whose sequence it is; null if it has none
 * @param sequence in the session, from 1; 0 = none
 * @param payload decompressed
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared, and copying costs.
public record StoredMessage(int partition, long offset, Instant storedAt, ByteString id, ByteString key,
		@Nullable ByteString session, long sequence, byte[] payload) {
}
