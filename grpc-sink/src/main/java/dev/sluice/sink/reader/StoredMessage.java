package dev.sluice.sink.reader;

import java.time.Instant;

import com.google.protobuf.ByteString;
import org.jspecify.annotations.Nullable;

/**
 * A message as it is stored.
 *
 * @param partition partition of the topic
 * @param offset offset in the partition
 * @param storedAt when the sink wrote it, by the sink's clock
 * @param id id that its client gave it
 * @param key routing key; empty = none
 * @param session session of the sequence; null if it has none
 * @param sequence number in the session, from 1; 0 = none
 * @param payload decompressed payload
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared, and copying costs.
public record StoredMessage(int partition, long offset, Instant storedAt, ByteString id, ByteString key,
		@Nullable ByteString session, long sequence, byte[] payload) {
}
