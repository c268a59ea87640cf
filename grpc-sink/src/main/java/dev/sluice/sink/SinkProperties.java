package dev.sluice.sink;

import java.nio.file.Path;
import java.time.Duration;

import jakarta.validation.Valid;
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
 * Settings of the sink.
 *
 * @param stream the course of a stream
 * @param limits limits of what clients may take together
 * @param store how messages are stored
 * @param sessions sessions of numbered messages
 * @param topic the topic, if the sink creates it
 */
@Validated
@ConfigurationProperties("sink")
record SinkProperties(@DefaultValue @Valid Stream stream, @DefaultValue @Valid Limits limits,
		@DefaultValue @Valid Store store, @DefaultValue @Valid Sessions sessions, @DefaultValue @Valid Topic topic) {

	/** Maximum size of a request, or of a Kafka record batch, without its payload. */
	static final int ENVELOPE_BYTES = 4 * 1024;

	/**
	 * The course of a stream.
	 *
	 * @param queueCapacity maximum number of messages of a stream that wait for the
	 * storage. A message that finds the queue full drops the oldest, which the client
	 * sends again. Clients are sent this number. Default 4,096
	 * @param maxAge maximum age of a stream. At that age it stores and acknowledges its
	 * messages and ends with UNAVAILABLE, so that clients spread over all sinks again.
	 * The limit of each stream is up to a tenth shorter. 1 s to 30 days. 0 = no limit.
	 * Default 30 min
	 * @param stallTimeout maximum time from the first byte of a message to its last, and
	 * for a client to read its responses. After that the stream ends with
	 * DEADLINE_EXCEEDED. 100 ms to 10 min. Default 30 s
	 * @param ackBatch maximum number of acknowledgements in one response. Default 100
	 * @param ackDelay how long an acknowledgement waits for others to share its response,
	 * at most 1 s. 0 = not at all. Default 5 ms
	 * @param dictionary file with a zstd dictionary that clients may compress with,
	 * trained by {@code lab sink --train}. None by default
	 */
	record Stream(@DefaultValue("4096") @Min(1) @Max(100_000) int queueCapacity,
			@DefaultValue("30m") @DurationMin @DurationMax(days = 30) Duration maxAge,
			@DefaultValue("30s") @DurationMin(millis = 100) @DurationMax(minutes = 10) Duration stallTimeout,
			@DefaultValue("100") @Min(1) @Max(10_000) int ackBatch,
			@DefaultValue("5ms") @DurationMin @DurationMax(seconds = 1) Duration ackDelay, @Nullable Path dictionary) {

		@AssertTrue(message = "sink.stream.max-age must be 0 or 1s to 30 days")
		boolean isMaxAgeBounded() {
			return this.maxAge.isZero() || this.maxAge.compareTo(Duration.ofSeconds(1)) >= 0;
		}

	}

	/**
	 * Limits of what clients may take together.
	 *
	 * @param memory memory for received messages of all streams until they are
	 * acknowledged: payloads, the overhead of each message, and messages that have
	 * arrived in part. While it is used up, flow control holds the clients back. Messages
	 * requested before that may take as much again; after that, streams end with
	 * RESOURCE_EXHAUSTED. Decompressed messages in the storage may take as much; further
	 * compressed messages wait as received. Kafka's producer buffers as much. The heap
	 * should be at least four times this. 1 MB to 16 GB, and at least 4 KB more than
	 * {@code maxMessage}. Default 64 MB
	 * @param flowWindow maximum number of bytes of a connection that have been sent to
	 * the sink and not read, 64 KB to 8 MB. It is native memory, in addition to
	 * {@code memory}. The rate of a connection is at most this per round trip. Default
	 * 512 KB
	 * @param maxMessage maximum size of a payload after decompression, 1 B to 4 MB.
	 * Larger messages are refused. Default 1 MB
	 * @param maxStoring maximum number of messages of all streams in the storage at once.
	 * Default 10,000
	 * @param maxStreams maximum number of open streams, a call of {@code Store} being
	 * one. Further streams are refused with RESOURCE_EXHAUSTED. Default 1,000
	 * @param maxStreamsPerClient maximum number of open streams of one client. Further
	 * streams are refused with RESOURCE_EXHAUSTED. A client is identified by its
	 * certificate, or by its address if it has none. 0 = no limit other than
	 * {@code maxStreams}. Default 250
	 * @param maxCallsPerConnection maximum number of open calls of one connection.
	 * Further calls wait at the client. Default 100
	 */
	record Limits(@DefaultValue("64MB") DataSize memory, @DefaultValue("512KB") DataSize flowWindow,
			@DefaultValue("1MB") DataSize maxMessage, @DefaultValue("10000") @Min(1) @Max(20_000) int maxStoring,
			@DefaultValue("1000") @Min(1) @Max(100_000) int maxStreams,
			@DefaultValue("250") @Min(0) @Max(100_000) int maxStreamsPerClient,
			@DefaultValue("100") @Min(1) @Max(100_000) int maxCallsPerConnection) {

		@AssertTrue(message = "sink.limits.max-message must be 1B to 4MB")
		boolean isMaxMessageBounded() {
			return between(this.maxMessage, DataSize.ofBytes(1), DataSize.ofMegabytes(4));
		}

		@AssertTrue(message = "sink.limits.memory must be 1MB to 16GB")
		boolean isMemoryBounded() {
			return between(this.memory, DataSize.ofMegabytes(1), DataSize.ofGigabytes(16));
		}

		/** Kafka's producer always refuses a record larger than its whole buffer. */
		@AssertTrue(message = "sink.limits.memory must be at least 4KB more than sink.limits.max-message")
		boolean isMemoryLargerThanAnyMessage() {
			return !isMaxMessageBounded() || this.memory.toBytes() >= maxRequestBytes();
		}

		@AssertTrue(message = "sink.limits.flow-window must be 64KB to 8MB")
		boolean isFlowWindowBounded() {
			return between(this.flowWindow, DataSize.ofKilobytes(64), DataSize.ofMegabytes(8));
		}

		private static boolean between(DataSize value, DataSize least, DataSize greatest) {
			return value.compareTo(least) >= 0 && value.compareTo(greatest) <= 0;
		}

		int maxMessageBytes() {
			return Math.toIntExact(this.maxMessage.toBytes());
		}

		/**
		 * The largest request that is accepted, and the largest record batch that a
		 * single message can make.
		 */
		int maxRequestBytes() {
			return maxMessageBytes() + ENVELOPE_BYTES;
		}

	}

	/**
	 * How messages are stored.
	 *
	 * @param timeout how long a stream waits for the storage to answer for a message
	 * before it ends with UNAVAILABLE, 10 ms to 5 min. Default 10 s
	 * @param repeatHorizon number of messages without a sequence whose repeats are
	 * recognized and not stored again: the last that this process has stored. 0 = such
	 * repeats are stored again. Otherwise at least as many as a client may have in
	 * flight: {@code sink.stream.queue-capacity} plus {@code sink.limits.max-storing}.
	 * Set it to what all clients that send such messages have in flight together. Each
	 * takes some 200 bytes. Default 45,000
	 * @param delay artificial delay before each message is stored, for measurements, at
	 * most 10 s. 0 = none. Default 0
	 */
	record Store(@DefaultValue("10s") @DurationMin(millis = 10) @DurationMax(minutes = 5) Duration timeout,
			@DefaultValue("45000") @Min(0) @Max(10_000_000) int repeatHorizon,
			@DefaultValue("0") @DurationMin @DurationMax(seconds = 10) Duration delay) {
	}

	/**
	 * Sessions of numbered messages.
	 *
	 * @param maxWriters maximum number of sessions with a writer to Kafka's topic, each
	 * with its own producer. The one that has been idle longest makes room for a new one.
	 * While none is idle, a new one is refused with UNAVAILABLE. Default 200
	 * @param age minimum time for which a session is remembered after its last message.
	 * Later messages are sent again in a new session. No more than the brokers'
	 * {@code offsets.retention.minutes}, which is 7 days by default. 1 min to 365 days.
	 * Default 6 days
	 */
	record Sessions(@DefaultValue("200") @Min(1) @Max(10_000) int maxWriters,
			@DefaultValue("6d") @DurationMin(minutes = 1) @DurationMax(days = 365) Duration age) {
	}

	/**
	 * The topic, if the sink creates it.
	 *
	 * @param partitions number of partitions, if the sink creates the topic. Default 12
	 * @param replicationFactor replication factor, if the sink creates the topic. Default
	 * 1
	 * @param minInsyncReplicas number of copies that must have a message before it is
	 * acknowledged, if the sink creates the topic. 0 = one less than the replication
	 * factor, and at least 1. Default 0
	 * @param retention minimum time for which a stored message is kept, at most 10 years.
	 * After that Kafka deletes it. Applies if the sink creates the topic. 0 = forever.
	 * Default 0
	 * @param retentionSize maximum number of bytes of stored messages, of all partitions.
	 * Beyond that Kafka deletes the oldest segments. Applies if the sink creates the
	 * topic. 0 = no limit. Default 0
	 */
	record Topic(@DefaultValue("12") @Min(1) @Max(10_000) int partitions,
			@DefaultValue("1") @Min(1) @Max(100) short replicationFactor,
			@DefaultValue("0") @Min(0) @Max(100) int minInsyncReplicas,
			@DefaultValue("0") @DurationMin @DurationMax(days = 3650) Duration retention,
			@DefaultValue("0B") DataSize retentionSize) {

		@AssertTrue(message = "sink.topic.retention-size must not be negative")
		boolean isRetentionSizeBounded() {
			return !this.retentionSize.isNegative();
		}

		@AssertTrue(message = "sink.topic.min-insync-replicas must not be greater than sink.topic.replication-factor")
		boolean isMinInsyncReplicasPossible() {
			return this.minInsyncReplicas <= this.replicationFactor;
		}

		/** Maximum size of a partition in bytes; -1 = no limit, as in Kafka. */
		long retentionBytesOfPartition() {
			return this.retentionSize.toBytes() == 0 ? -1 : Math.max(1, this.retentionSize.toBytes() / this.partitions);
		}

	}

	/** All messages that a stream has in flight may be sent again. */
	@AssertTrue(message = "sink.store.repeat-horizon must be 0 or at least sink.stream.queue-capacity + "
			+ "sink.limits.max-storing: messages in flight could be stored twice. "
			+ "Raise sink.store.repeat-horizon or lower one of these")
	boolean isHorizonBeyondWhatIsInFlight() {
		return this.store.repeatHorizon() == 0
				|| this.store.repeatHorizon() >= (long) this.stream.queueCapacity() + this.limits.maxStoring();
	}

}
