package dev.sluice.sink;

import java.nio.file.Path;
import java.time.Duration;

import dev.sluice.sink.store.LogMessageStore;
import jakarta.validation.constraints.AssertTrue;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.annotation.Validated;

/**
 * The sink's own settings.
 *
 * @param store where messages are kept: {@code kafka}, the topic {@code sink}, or
 * {@code log}, files that are forced to the disk. Default {@code kafka}
 * @param queueCapacity messages of a stream that wait for the storage at most; beyond,
 * the oldest is dropped, to be sent again. What clients are told. Default 4,096
 * @param window messages a client is advised to have in flight at most, no more than
 * {@code queueCapacity}; 0 = no advice. Default 0
 * @param memory that received messages take until they are acknowledged, of all streams
 * together: payloads, what each message takes beside, and messages of which a part has
 * come. Beyond, flow control holds the clients back. What was asked for before may take
 * as much again, beyond which a stream ends with RESOURCE_EXHAUSTED. Compressed messages
 * may take as much when they go to the storage; beyond, they wait as they came. Kafka's
 * producer buffers as much. The heap should be four times this at least. 1 MB to 16 GB,
 * and with Kafka 4 KB more than {@code maxMessage} at least. Default 64 MB
 * @param flowWindow bytes of a connection on their way to the sink and not read yet, 64
 * KB to 8 MB: native memory, beside {@code memory}. The rate of a connection is at most
 * this by the round trip. Default 512 KB
 * @param maxStoring messages of all streams in the storage at once. Default 10,000
 * @param maxStreams streams open at once at most; beyond, RESOURCE_EXHAUSTED. Default
 * 1,000
 * @param maxStreamsPerClient streams of one client open at once at most; beyond,
 * RESOURCE_EXHAUSTED. A client is known by its certificate, without one by its address. 0
 * = no limit beside {@code maxStreams}. Default 250
 * @param maxUnnumberedStreams streams open at once at most that send messages without a
 * sequence, if {@code repeatHorizon} is not 0; beyond, RESOURCE_EXHAUSTED. Default 8
 * @param maxCallsPerConnection calls of one connection open at once at most; beyond, they
 * wait at the client. Default 100
 * @param maxStreamAge after which a stream stores and acknowledges what it has and ends
 * with UNAVAILABLE, so that clients spread over all sinks anew; each stream's own is up
 * to a tenth shorter. 1 s to 30 days; 0 = no limit. Default 30 min
 * @param stallTimeout for a message to be whole after its first byte, and for a client to
 * read what is written to it; then its stream ends with DEADLINE_EXCEEDED. 100 ms to 10
 * min. Default 30 s
 * @param maxMessage the largest payload, after decompression, 1 B to 4 MB; beyond, the
 * message is refused. Default 1 MB
 * @param ackBatch acknowledgements in one response at most. Default 100
 * @param ackDelay how long an acknowledgement waits for others to go with it, at most 1
 * s; 0 = not at all. Default 5 ms
 * @param storeTimeout until a stream whose message is not stored ends with UNAVAILABLE,
 * 10 ms to 5 min. Default 10 s
 * @param repeatHorizon how far back a repeat of a message without a sequence is known and
 * not stored again, also after a restart: so many messages of each partition, of the log
 * as a whole; 0 = such repeats are stored again. Else no less than clients may have in
 * flight without a sequence: {@code queueCapacity} times {@code maxUnnumberedStreams},
 * and {@code maxStoring} by calls of {@code Store}. Each takes some 200 bytes, and twice
 * as many offsets of each partition are read at the start. Default 45,000
 * @param sequences whether clients are told that they may number their messages, so that
 * a repeat is known however old it is. Default true
 * @param maxSessions sessions of clients that the log knows at once; beyond, a new one is
 * refused with UNAVAILABLE while none is older than {@code sink.session-age}. 7 KB each.
 * Default 2,000
 * @param maxWriters sessions that Kafka's topic is written for at once, each with a
 * producer of its own; the one that was idle longest makes room for another. While none
 * is idle, UNAVAILABLE. Default 200
 * @param sessionAge how long a session is known at least after its last message; what
 * comes later is sent again in a new session. With Kafka no more than the brokers'
 * {@code offsets.retention.minutes}, which is 7 days by default. 1 min to 365 days.
 * Default 6 d
 * @param partitions of the topic, if it has to be made. Default 12
 * @param replicationFactor of the topic, if it has to be made. Default 1
 * @param minInsyncReplicas copies that must have a message before it is acknowledged, if
 * the topic has to be made; 0 = one less than the replication factor, and at least 1.
 * Default 0
 * @param retention how long a stored message is kept at least, at most 10 years; then its
 * segment of the log is deleted, whole, or Kafka does so. Of the topic if it has to be
 * made; 0 = for ever. Default 0
 * @param retentionSize bytes that stored messages may take, of all partitions or of the
 * log; beyond, the oldest segments are deleted. Of the topic if it has to be made; 0 = no
 * limit. Default 0
 * @param dictionary file of a zstd dictionary that clients may compress with, trained by
 * {@code lab sink --train}; none by default
 * @param storeDelay by which each message is stored later than it could be, for
 * measurements, at most 10 s; 0 = not. Default 0
 * @param logDirectory of the log. Default {@code sink-log}
 * @param logSegment length at which the log begins another file, 1 MB to 1 GB. Default
 * 256 MB
 * @param logDamage what to do at the start if records of the log are lost that were
 * acknowledged: {@code refuse} to start and say which, or {@code continue} with those
 * that are whole. Default {@code refuse}
 */
@Validated
@ConfigurationProperties("sink")
record SinkProperties(@DefaultValue("kafka") Store store, @DefaultValue("4096") @Min(1) @Max(100_000) int queueCapacity,
		@DefaultValue("0") @Min(0) @Max(100_000) int window, @DefaultValue("64MB") DataSize memory,
		@DefaultValue("512KB") DataSize flowWindow, @DefaultValue("10000") @Min(1) @Max(20_000) int maxStoring,
		@DefaultValue("1000") @Min(1) @Max(100_000) int maxStreams,
		@DefaultValue("250") @Min(0) @Max(100_000) int maxStreamsPerClient,
		@DefaultValue("8") @Min(1) @Max(100_000) int maxUnnumberedStreams,
		@DefaultValue("100") @Min(1) @Max(100_000) int maxCallsPerConnection,
		@DefaultValue("30m") @DurationMin @DurationMax(days = 30) Duration maxStreamAge,
		@DefaultValue("30s") @DurationMin(millis = 100) @DurationMax(minutes = 10) Duration stallTimeout,
		@DefaultValue("1MB") DataSize maxMessage, @DefaultValue("100") @Min(1) @Max(10_000) int ackBatch,
		@DefaultValue("5ms") @DurationMin @DurationMax(seconds = 1) Duration ackDelay,
		@DefaultValue("10s") @DurationMin(millis = 10) @DurationMax(minutes = 5) Duration storeTimeout,
		@DefaultValue("45000") @Min(0) @Max(10_000_000) int repeatHorizon, @DefaultValue("true") boolean sequences,
		@DefaultValue("2000") @Min(1) @Max(1_000_000) int maxSessions,
		@DefaultValue("200") @Min(1) @Max(10_000) int maxWriters,
		@DefaultValue("6d") @DurationMin(minutes = 1) @DurationMax(days = 365) Duration sessionAge,
		@DefaultValue("12") @Min(1) @Max(10_000) int partitions,
		@DefaultValue("1") @Min(1) @Max(100) short replicationFactor,
		@DefaultValue("0") @Min(0) @Max(100) int minInsyncReplicas,
		@DefaultValue("0") @DurationMin @DurationMax(days = 3650) Duration retention,
		@DefaultValue("0B") DataSize retentionSize, @Nullable Path dictionary,
		@DefaultValue("0") @DurationMin @DurationMax(seconds = 10) Duration storeDelay,
		@DefaultValue("sink-log") Path logDirectory, @DefaultValue("256MB") DataSize logSegment,
		@DefaultValue("refuse") LogMessageStore.Damage logDamage) {

	/** What a request has beside its payload at most, and a record batch of Kafka's. */
	static final int ENVELOPE_BYTES = 4 * 1024;

	/** Where messages are kept. */
	enum Store {

		/** The topic {@code sink}. */
		KAFKA,

		/** Files that only grow. */
		LOG

	}

	@AssertTrue(message = "sink.max-message must be 1B to 4MB")
	boolean isMaxMessageBounded() {
		return between(this.maxMessage, DataSize.ofBytes(1), DataSize.ofMegabytes(4));
	}

	@AssertTrue(message = "sink.max-stream-age must be 0 or 1s to 30 days")
	boolean isMaxStreamAgeBounded() {
		return this.maxStreamAge.isZero() || this.maxStreamAge.compareTo(Duration.ofSeconds(1)) >= 0;
	}

	@AssertTrue(message = "sink.memory must be 1MB to 16GB")
	boolean isMemoryBounded() {
		return between(this.memory, DataSize.ofMegabytes(1), DataSize.ofGigabytes(16));
	}

	/** Kafka's producer refuses for good what is larger than its whole buffer. */
	@AssertTrue(message = "sink.memory must be 4KB more than sink.max-message at least where sink.store=kafka")
	boolean isMemoryLargerThanAnyMessage() {
		return this.store == Store.LOG || !isMaxMessageBounded() || this.memory.toBytes() >= maxRecordBytes();
	}

	@AssertTrue(message = "sink.flow-window must be 64KB to 8MB")
	boolean isFlowWindowBounded() {
		return between(this.flowWindow, DataSize.ofKilobytes(64), DataSize.ofMegabytes(8));
	}

	@AssertTrue(message = "sink.log-segment must be 1MB to 1GB")
	boolean isLogSegmentBounded() {
		return between(this.logSegment, DataSize.ofMegabytes(1), DataSize.ofGigabytes(1));
	}

	@AssertTrue(message = "sink.window must not be greater than sink.queue-capacity: what is beyond would be dropped")
	boolean isWindowWithinCapacity() {
		return this.window <= this.queueCapacity;
	}

	/** All that is in flight may be sent again, and be of one partition. */
	@AssertTrue(message = "sink.repeat-horizon must be 0 or no less than sink.queue-capacity x "
			+ "sink.max-unnumbered-streams + sink.max-storing: what clients have in flight could be stored twice. "
			+ "Raise sink.repeat-horizon or lower one of these")
	boolean isHorizonBeyondWhatIsInFlight() {
		return this.repeatHorizon == 0
				|| this.repeatHorizon >= (long) this.queueCapacity * this.maxUnnumberedStreams + this.maxStoring;
	}

	@AssertTrue(message = "sink.retention-size must not be negative")
	boolean isRetentionSizeBounded() {
		return !this.retentionSize.isNegative();
	}

	@AssertTrue(message = "sink.min-insync-replicas must not be greater than sink.replication-factor")
	boolean isMinInsyncReplicasPossible() {
		return this.minInsyncReplicas <= this.replicationFactor;
	}

	private static boolean between(DataSize value, DataSize least, DataSize greatest) {
		return value.compareTo(least) >= 0 && value.compareTo(greatest) <= 0;
	}

	int maxMessageBytes() {
		return Math.toIntExact(this.maxMessage.toBytes());
	}

	/**
	 * What a partition of the topic may have in bytes; -1 = no limit, as Kafka has it.
	 */
	long retentionBytesOfPartition() {
		return this.retentionSize.toBytes() == 0 ? -1 : Math.max(1, this.retentionSize.toBytes() / this.partitions);
	}

	/** The newest version of requests that is taken. */
	int maxVersion() {
		return this.sequences ? Payload.SEQUENCES_VERSION : Payload.VERSION;
	}

	/** The largest request that is taken. */
	int maxRequestBytes() {
		return maxMessageBytes() + ENVELOPE_BYTES;
	}

	/** The largest record batch that a message of the greatest size makes. */
	int maxRecordBytes() {
		return maxMessageBytes() + ENVELOPE_BYTES;
	}

}
