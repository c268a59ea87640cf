package dev.sluice.sink.store;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.LongSupplier;

import com.google.protobuf.ByteString;
import dev.sluice.contract.Topics;
import dev.sluice.sink.format.Content;
import dev.sluice.sink.format.TopicRecord;
import dev.sluice.topics.TopicSpec;
import dev.sluice.topics.TopicWatch;
import dev.sluice.topics.TopicsState;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

import org.springframework.context.SmartLifecycle;
import org.springframework.kafka.core.KafkaAdmin;

/**
 * Watches the topic {@code sink}, creates it if it is missing, and reads the ids at its
 * end. Start-up does not wait for that. While the topic is missing or its ids are not
 * read, no message is stored: otherwise the broker could create the topic itself, and
 * repeats would not be recognized. Uses one thread, see {@link TopicWatch}.
 */
public final class SinkTopic implements SmartLifecycle {

	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	private static final Duration POLL = Duration.ofMillis(100);

	/**
	 * Maximum time without progress while the topic's end is read. It is not a limit on
	 * the whole: 60,000 messages of 20 KB take some 6 s, and the horizon of all
	 * partitions may be 20 times as large.
	 */
	static final Duration READ_TIMEOUT = Duration.ofMinutes(1);

	private static final int FETCH_BYTES = 8 * 1024 * 1024;

	/** A transaction has at least one message, and its marker takes an offset. */
	private static final long OFFSETS_OF_MESSAGE = 2;

	private final TopicWatch watch;

	private final KafkaAdmin admin;

	private final RecentIds recent;

	private final Function<Map<String, Object>, Consumer<byte[], Integer>> consumers;

	private volatile OnRead onRead = () -> {
	};

	private volatile boolean running;

	/**
	 * Creates a watch, which does nothing until it is started.
	 * @param topic specification to create the topic with
	 * @param admin connects to the brokers
	 * @param recent receives the ids at the topic's end
	 */
	public SinkTopic(TopicSpec topic, KafkaAdmin admin, RecentIds recent) {
		// Only the checksum of a payload is needed.
		this(topic, admin, recent, Admin::create, (config) -> new KafkaConsumer<>(config, new ByteArrayDeserializer(),
				(_, payload) -> Content.crc(payload)));
	}

	/** Connects to the brokers with these clients. */
	SinkTopic(TopicSpec topic, KafkaAdmin admin, RecentIds recent, Function<Map<String, Object>, Admin> admins,
			Function<Map<String, Object>, Consumer<byte[], Integer>> consumers) {
		this.watch = new TopicWatch(List.of(topic), admin.getConfigurationProperties(), this::readLastIds, admins);
		this.admin = admin;
		this.recent = recent;
		this.consumers = consumers;
	}

	/** Called when the topic exists, before any message is accepted. */
	@FunctionalInterface
	interface OnRead {

		void run() throws InterruptedException;

	}

	/** Whether the topic exists and its last ids have been read. */
	boolean ready() {
		return this.watch.ready();
	}

	/** The state of the topic, for the health indicator. */
	public TopicsState state() {
		return this.watch.state();
	}

	/** Sets a callback that discards knowledge of the topic. Call it before the start. */
	void onRead(OnRead forget) {
		this.onRead = forget;
	}

	/** Accepts no messages until the end of the topic has been read again. */
	void readAgain() {
		this.watch.prepareAgain();
	}

	@Override
	public void start() {
		this.running = true;
		this.watch.start();
	}

	/**
	 * No one writes meanwhile: this sink accepts no messages yet, and messages that an
	 * earlier sink had sent have long arrived when this one has started.
	 */
	private void readLastIds() throws InterruptedException {
		// They may belong to a topic that was deleted.
		this.recent.clear();
		this.onRead.run();
		if (this.recent.horizon() == 0) {
			return;
		}
		Map<String, Object> config = new HashMap<>(this.admin.getConfigurationProperties());
		config.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 5_000);
		config.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, FETCH_BYTES);
		config.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, FETCH_BYTES);
		config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
		try (Consumer<byte[], Integer> consumer = this.consumers.apply(config)) {
			List<TopicPartition> partitions = consumer.partitionsFor(Topics.SINK, TIMEOUT)
				.stream()
				.map((partition) -> new TopicPartition(Topics.SINK, partition.partition()))
				.toList();
			consumer.assign(partitions);
			Map<TopicPartition, Long> ends = consumer.endOffsets(partitions, TIMEOUT);
			consumer.beginningOffsets(partitions, TIMEOUT)
				.forEach((partition, begin) -> consumer.seek(partition,
						Math.max(begin, end(ends, partition) - OFFSETS_OF_MESSAGE * this.recent.horizon())));
			readTo(ends, consumer, System::nanoTime, () -> this.running, this::remember);
		}
	}

	/**
	 * Reads up to the given ends.
	 * @throws TimeoutException if there is no progress for {@link #READ_TIMEOUT}, or if
	 * {@code goOn} returns false
	 */
	static <T> void readTo(Map<TopicPartition, Long> ends, Consumer<byte[], T> consumer, LongSupplier nanoTime,
			BooleanSupplier goOn, java.util.function.Consumer<ConsumerRecord<byte[], T>> each) {
		long left = left(ends, consumer);
		long since = nanoTime.getAsLong();
		while (left > 0) {
			consumer.poll(POLL).forEach(each);
			long now = left(ends, consumer);
			if (now < left) {
				left = now;
				since = nanoTime.getAsLong();
			}
			if (!goOn.getAsBoolean() || nanoTime.getAsLong() - since > READ_TIMEOUT.toNanos()) {
				throw new TimeoutException(
						"Reading the end of the topic made no progress for %d s or was stopped; %,d offsets are left"
							.formatted(READ_TIMEOUT.toSeconds(), left));
			}
		}
	}

	private static long left(Map<TopicPartition, Long> ends, Consumer<byte[], ?> consumer) {
		return ends.entrySet()
			.stream()
			.mapToLong((end) -> Math.max(0, end.getValue() - consumer.position(end.getKey())))
			.sum();
	}

	private void remember(ConsumerRecord<byte[], Integer> record) {
		TopicRecord stored = TopicRecord.read(record.headers());
		// A record without a key is not the sink's; one with a session is known by its
		// place.
		if (record.key() != null && record.value() != null && stored.session() == null) {
			ByteString id = ByteString.copyFrom(record.key());
			this.recent.add(record.partition(), RecentIds.Name.of(stored.client(), id),
					Content.checksum(id, stored.key(), record.value()));
		}
	}

	private static long end(Map<TopicPartition, Long> ends, TopicPartition partition) {
		return ends.getOrDefault(partition, 0L);
	}

	@Override
	public void stop() {
		this.running = false;
		this.watch.close();
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

}
