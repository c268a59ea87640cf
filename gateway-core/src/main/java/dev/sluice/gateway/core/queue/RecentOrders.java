package dev.sluice.gateway.core.queue;

import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

import com.google.errorprone.annotations.ThreadSafe;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.sluice.contract.Fingerprint;
import dev.sluice.contract.OrderHeaders;
import dev.sluice.contract.OrderOutcome;
import dev.sluice.contract.Topics;
import dev.sluice.gateway.core.config.StatusProperties;
import dev.sluice.gateway.core.metrics.GatewayMetric;
import dev.sluice.gateway.core.order.OrderIds;
import io.micrometer.core.instrument.MeterRegistry;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.KafkaAdmin;
import org.springframework.stereotype.Component;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * What Kafka knows of orders and PostgreSQL does not know yet. Each gateway reads
 * {@link Topics#ORDERS}, and the outcomes of synchronous orders in
 * {@link Topics#ORDER_OUTCOMES}, from the committed offsets of the status projection to
 * the end, and stays there. An order is forgotten when the projection has committed its
 * record, because PostgreSQL has it from then on. So all gateways know the same, also
 * after a restart.
 * <p>
 * One thread reads, without a consumer group. It goes on by itself after an outage, and
 * from the log's start after a topic was deleted. At most {@code status.recent-orders}
 * are kept. When there are more, the oldest are dropped, and {@link #caughtUp} says
 * {@link Reading#BEHIND} until the projection has passed them. No method blocks.
 */
@Component
@ThreadSafe
public class RecentOrders implements SmartLifecycle {

	private static final Logger logger = LoggerFactory.getLogger(RecentOrders.class);

	private static final Set<String> TOPICS = Set.of(Topics.ORDERS, Topics.ORDER_OUTCOMES);

	/** How often topics and committed offsets are looked at. */
	private static final Duration LOOK = Duration.ofMillis(500);

	/** Kafka counts as lost when it has answered nothing for so long. */
	private static final Duration LOST = Duration.ofSeconds(3);

	/**
	 * Between two reads, so that a gateway under load does not fetch each batch alone.
	 */
	private static final Duration PAUSE = Duration.ofMillis(20);

	private static final Duration POLL = Duration.ofMillis(100);

	private static final Duration RETRY = Duration.ofSeconds(1);

	/** A batch of so many means that there are more. */
	private static final int FULL_BATCH = 2_000;

	private static final String SYNC_SUFFIX = "/sync";

	private static final long UNPUBLISHED = -1;

	private final ConsumerFactory<?, ?> consumers;

	private final KafkaAdmin admins;

	private final JsonMapper json;

	private final String group;

	private final int capacity;

	private final Map<UUID, Acceptance> accepted = new ConcurrentHashMap<>();

	private final Map<UUID, SyncSave> saved = new ConcurrentHashMap<>();

	private final Object lock = new Object();

	@GuardedBy("lock")
	private final Map<TopicPartition, Part> parts = new HashMap<>();

	@GuardedBy("lock")
	private Map<String, Uuid> topicIds = Map.of();

	/** Callers join it until its question is sent. */
	@GuardedBy("lock")
	private @Nullable Round next;

	/** Its question is sent. */
	@GuardedBy("lock")
	private @Nullable Round current;

	@GuardedBy("lock")
	private @Nullable Admin admin;

	private volatile long heardNanos = System.nanoTime();

	private volatile long lag;

	private volatile boolean running;

	private volatile @Nullable Thread thread;

	/** Whether an outage was logged. Used by the reading thread alone. */
	private boolean outage;

	public RecentOrders(StatusProperties properties, ConsumerFactory<?, ?> consumers, KafkaAdmin admins,
			JsonMapper json, MeterRegistry meters) {
		this.group = properties.projectionGroup();
		this.capacity = properties.recentOrders();
		this.consumers = consumers;
		this.admins = admins;
		this.json = json;
		GatewayMetric.RECENT_ORDERS.gauge(meters, this, (orders) -> orders.accepted.size() + orders.saved.size());
		GatewayMetric.RECENT_LAG.gauge(meters, this, (orders) -> orders.lag);
	}

	/** What is known of the acceptance of an order; null if nothing. */
	public @Nullable Acceptance acceptance(UUID id) {
		return this.accepted.get(id);
	}

	/** What is known of the synchronous save of an order; null if nothing. */
	public @Nullable SyncSave syncSave(UUID id) {
		return this.saved.get(id);
	}

	/**
	 * Waits until everything has been read that was in the topics when this was called.
	 * Calls that come while Kafka is being asked share the next question.
	 * @param limit how long to wait; then the answer is {@link Reading#BEHIND}
	 * @return whether it has been read; does not fail, and completes on a thread that
	 * must not be blocked
	 */
	public CompletableFuture<Reading> caughtUp(Duration limit) {
		if (lost()) {
			return CompletableFuture.completedFuture(Reading.UNREACHABLE);
		}
		CompletableFuture<Reading> done;
		synchronized (this.lock) {
			if (this.next == null) {
				this.next = new Round();
			}
			done = this.next.done;
			ask();
		}
		return done.copy().completeOnTimeout(Reading.BEHIND, limit.toNanos(), TimeUnit.NANOSECONDS);
	}

	/**
	 * This gateway has had an order acknowledged.
	 * @param id the order's id
	 * @param fingerprint its payload's if its id may come again, else null
	 * @param acceptedAt when it was accepted
	 * @param partition where its record is
	 * @param offset of its record
	 */
	public void accepted(UUID id, @Nullable Fingerprint fingerprint, Instant acceptedAt, int partition, long offset) {
		synchronized (this.lock) {
			if (isUnread(Topics.ORDERS, partition, offset)) {
				this.accepted.merge(id, new Acceptance(fingerprint, acceptedAt, acceptedAt, offset, offset),
						Acceptance::merge);
			}
		}
	}

	/** The outcome of a synchronous order is about to be published. */
	void publishing(UUID id, @Nullable Fingerprint fingerprint, Instant savedAt) {
		this.saved.putIfAbsent(id, new SyncSave(fingerprint, savedAt, UNPUBLISHED));
	}

	/** The outcome of a synchronous order has been acknowledged. */
	void published(UUID id, int partition, long offset) {
		synchronized (this.lock) {
			boolean unread = isUnread(Topics.ORDER_OUTCOMES, partition, offset);
			this.saved.computeIfPresent(id, (_, save) -> (save.offset() != UNPUBLISHED) ? save
					: unread ? new SyncSave(save.fingerprint(), save.savedAt(), offset) : null);
		}
	}

	/** The outcome of a synchronous order has not been published. */
	void notPublished(UUID id) {
		this.saved.computeIfPresent(id, (_, save) -> (save.offset() == UNPUBLISHED) ? null : save);
	}

	/** What has been read may have been forgotten already: it must not come back. */
	@GuardedBy("lock")
	private boolean isUnread(String topic, int partition, long offset) {
		Part part = this.parts.get(new TopicPartition(topic, partition));
		return part != null && offset >= part.position && size() < this.capacity;
	}

	private int size() {
		return this.accepted.size() + this.saved.size();
	}

	private boolean lost() {
		return System.nanoTime() - this.heardNanos > LOST.toNanos();
	}

	@Override
	public void start() {
		this.running = true;
		this.heardNanos = System.nanoTime();
		Thread reader = Thread.ofPlatform().daemon().name("recent-orders").unstarted(this::run);
		this.thread = reader;
		reader.start();
	}

	private void run() {
		while (this.running) {
			try (Admin client = Admin.create(adminConfig()); Consumer<byte[], byte[]> consumer = consumer()) {
				try {
					synchronized (this.lock) {
						this.admin = client;
					}
					read(client, consumer);
				}
				finally {
					// Before the client is closed, or a caller would use it.
					reset();
				}
			}
			catch (KafkaException ex) {
				warn(ex);
			}
			if (this.running) {
				LockSupport.parkNanos(RETRY.toNanos());
				if (lost()) {
					giveUp();
				}
			}
		}
	}

	private Map<String, Object> adminConfig() {
		Map<String, Object> config = new HashMap<>(this.admins.getConfigurationProperties());
		config.put(AdminClientConfig.CLIENT_ID_CONFIG, "recent-orders");
		config.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, 2_000);
		config.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, 2_000);
		config.put(AdminClientConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, 500);
		return config;
	}

	private Consumer<byte[], byte[]> consumer() {
		Map<String, Object> config = new HashMap<>(this.consumers.getConfigurationProperties());
		config.remove(ConsumerConfig.GROUP_ID_CONFIG);
		config.put(ConsumerConfig.CLIENT_ID_CONFIG, "recent-orders");
		config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
		config.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
		config.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
		config.put(ConsumerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, 500);
		config.put(ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG, 2_000);
		// What is behind is read in small portions: the heap may be small.
		config.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, FULL_BATCH);
		config.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, 256 * 1024);
		config.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, 2 * 1024 * 1024);
		return new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
	}

	private void read(Admin client, Consumer<byte[], byte[]> consumer) {
		CompletableFuture<Look> look = null;
		long lookNanos = System.nanoTime() - LOOK.toNanos();
		while (this.running) {
			if (look == null && System.nanoTime() - lookNanos >= LOOK.toNanos()) {
				lookNanos = System.nanoTime();
				look = look(client);
			}
			if (look != null && look.isDone()) {
				apply(look, consumer);
				look = null;
			}
			if (lost()) {
				warn(new TimeoutException("no answer for %d s".formatted(LOST.toSeconds())));
				giveUp();
			}
			if (consumer.assignment().isEmpty()) {
				LockSupport.parkNanos(PAUSE.toNanos());
				continue;
			}
			ConsumerRecords<byte[], byte[]> records = consumer.poll(POLL);
			boolean awaited = apply(records, consumer);
			if (!records.isEmpty() && records.count() < FULL_BATCH && !awaited) {
				LockSupport.parkNanos(PAUSE.toNanos());
			}
		}
	}

	private CompletableFuture<Look> look(Admin client) {
		Map<String, KafkaFuture<TopicDescription>> topics = client.describeTopics(TOPICS).topicNameValues();
		List<CompletableFuture<@Nullable TopicDescription>> descriptions = topics.values()
			.stream()
			.map(RecentOrders::ifThere)
			.toList();
		CompletableFuture<Map<TopicPartition, OffsetAndMetadata>> committed = client
			.listConsumerGroupOffsets(this.group)
			.partitionsToOffsetAndMetadata()
			.toCompletionStage()
			.exceptionally((failure) -> {
				if (cause(failure) instanceof GroupIdNotFoundException) {
					return Map.of();
				}
				throw new CompletionException(cause(failure));
			})
			.toCompletableFuture();
		CompletableFuture<?> described = CompletableFuture.allOf(descriptions.toArray(CompletableFuture[]::new))
			.thenRun(this::heard);
		return described.thenCombine(committed, (_, offsets) -> {
			List<TopicDescription> there = new ArrayList<>();
			for (CompletableFuture<@Nullable TopicDescription> description : descriptions) {
				TopicDescription topic = description.resultNow();
				if (topic != null) {
					there.add(topic);
				}
			}
			return new Look(there, offsets);
		});
	}

	private static CompletableFuture<@Nullable TopicDescription> ifThere(KafkaFuture<TopicDescription> topic) {
		CompletionStage<@Nullable TopicDescription> there = topic.toCompletionStage().handle((description, failure) -> {
			if (failure != null && !(cause(failure) instanceof UnknownTopicOrPartitionException)) {
				throw new CompletionException(cause(failure));
			}
			return description;
		});
		return there.toCompletableFuture();
	}

	private static Throwable cause(Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

	private void heard() {
		this.heardNanos = System.nanoTime();
	}

	private void apply(CompletableFuture<Look> done, Consumer<byte[], byte[]> consumer) {
		if (done.isCompletedExceptionally()) {
			Throwable failure = cause(done.exceptionNow());
			// A short absence of the broker is not logged; lost() tells a long one.
			if (!(failure instanceof TimeoutException)) {
				warn(failure);
			}
			return;
		}
		Look look = done.resultNow();
		if (this.outage) {
			this.outage = false;
			logger.info("The recent orders are read from Kafka again");
		}
		synchronized (this.lock) {
			if (!look.layout().equals(layout())) {
				assign(look, consumer);
			}
			for (Part part : this.parts.values()) {
				OffsetAndMetadata offset = look.committed().get(part.partition);
				commit(part, (offset != null) ? offset.offset() : 0, consumer);
			}
			// Each look, so that the lag is known.
			if (this.next == null && this.current == null) {
				this.next = new Round();
			}
			ask();
			Round unasked = this.next;
			if (this.current == null && unasked != null) {
				// A topic is missing.
				this.next = null;
				unasked.done.completeAsync(() -> Reading.BEHIND);
			}
		}
	}

	@GuardedBy("lock")
	private Map<String, TopicLayout> layout() {
		Map<String, Integer> counts = new HashMap<>();
		this.parts.keySet().forEach((partition) -> counts.merge(partition.topic(), 1, Integer::sum));
		return this.topicIds.entrySet()
			.stream()
			.collect(Collectors.toMap(Map.Entry::getKey,
					(topic) -> new TopicLayout(topic.getValue(), counts.getOrDefault(topic.getKey(), 0))));
	}

	/** A topic is new, was made again or has more partitions. */
	@GuardedBy("lock")
	private void assign(Look look, Consumer<byte[], byte[]> consumer) {
		Map<String, TopicLayout> layout = look.layout();
		Set<TopicPartition> wanted = look.topics()
			.stream()
			.flatMap((topic) -> topic.partitions()
				.stream()
				.map((partition) -> new TopicPartition(topic.name(), partition.partition())))
			.collect(Collectors.toSet());
		Map<String, Uuid> before = this.topicIds;
		for (TopicPartition partition : List.copyOf(this.parts.keySet())) {
			TopicLayout topic = layout.get(partition.topic());
			if (!wanted.contains(partition) || topic == null || !topic.id().equals(before.get(partition.topic()))) {
				clear(this.parts.remove(partition));
			}
		}
		consumer.assign(wanted);
		for (TopicPartition partition : wanted) {
			if (!this.parts.containsKey(partition)) {
				OffsetAndMetadata committed = look.committed().get(partition);
				Part part = new Part(partition, (committed != null) ? committed.offset() : 0);
				this.parts.put(partition, part);
				consumer.seek(partition, part.position);
			}
		}
		this.topicIds = layout.entrySet()
			.stream()
			.collect(Collectors.toMap(Map.Entry::getKey, (topic) -> topic.getValue().id()));
		// An earlier question does not cover the new partitions.
		finish(Reading.BEHIND);
	}

	@GuardedBy("lock")
	private void commit(Part part, long committed, Consumer<byte[], byte[]> consumer) {
		if (committed < part.committed && committed < part.base) {
			logger.info("The projection {} has gone back to offset {} of {}", this.group, committed, part.partition);
			clear(part);
			part.restart(committed);
			consumer.seek(part.partition, committed);
			return;
		}
		part.committed = committed;
		if (committed > part.position) {
			// PostgreSQL has it already.
			clear(part);
			part.restart(committed);
			consumer.seek(part.partition, committed);
		}
		while (!part.marks.isEmpty() && part.marks.getFirst().offset() < committed) {
			forget(part, part.marks.removeFirst(), committed);
		}
		part.base = Math.max(part.base, Math.min(committed, part.position));
	}

	/** Adds what was read. Returns whether a caller waits for more. */
	private boolean apply(ConsumerRecords<byte[], byte[]> records, Consumer<byte[], byte[]> consumer) {
		List<Addition> additions = new ArrayList<>(records.count());
		for (ConsumerRecord<byte[], byte[]> record : records) {
			Addition addition = record.topic().equals(Topics.ORDERS) ? order(record) : outcome(record);
			if (addition != null) {
				additions.add(addition);
			}
		}
		synchronized (this.lock) {
			for (Addition addition : additions) {
				addition.put().run();
				mark(addition.record(), addition.id());
			}
			for (Part part : this.parts.values()) {
				advance(part, consumer);
			}
			while (size() > this.capacity && evict()) {
				// One more.
			}
			check();
			return this.current != null;
		}
	}

	private @Nullable Addition order(ConsumerRecord<byte[], byte[]> record) {
		UUID id = id(text(record, OrderHeaders.ID));
		Instant acceptedAt = time(text(record, OrderHeaders.TIME));
		byte[] value = record.value();
		if (id == null || acceptedAt == null || value == null) {
			// Delivery puts it into the dead letters.
			return null;
		}
		Fingerprint fingerprint = OrderIds.isDerived(id) ? Fingerprint.ofJson(value) : null;
		Acceptance acceptance = new Acceptance(fingerprint, acceptedAt, acceptedAt, record.offset(), record.offset());
		return new Addition(record, id, () -> this.accepted.merge(id, acceptance, Acceptance::merge));
	}

	private @Nullable Addition outcome(ConsumerRecord<byte[], byte[]> record) {
		byte[] key = record.key();
		byte[] value = record.value();
		if (key == null || value == null || !new String(key, StandardCharsets.UTF_8).endsWith(SYNC_SUFFIX)) {
			return null;
		}
		SyncSave save;
		UUID id;
		try {
			OrderOutcome outcome = this.json.readValue(value, OrderOutcome.class);
			String fingerprint = outcome.fingerprint();
			id = outcome.orderId();
			save = new SyncSave((fingerprint != null) ? new Fingerprint(fingerprint) : null, outcome.at(),
					record.offset());
		}
		catch (JacksonException ex) {
			return null;
		}
		return new Addition(record, id, () -> this.saved.put(id, save));
	}

	@GuardedBy("lock")
	private void mark(ConsumerRecord<byte[], byte[]> record, UUID id) {
		Part part = this.parts.get(new TopicPartition(record.topic(), record.partition()));
		if (part != null) {
			part.marks.addLast(new Mark(record.offset(), record.timestamp(), id));
		}
	}

	private void advance(Part part, Consumer<byte[], byte[]> consumer) {
		long position;
		try {
			position = consumer.position(part.partition, Duration.ZERO);
		}
		catch (TimeoutException ex) {
			// It is being found.
			return;
		}
		if (position < part.position) {
			// The log is shorter than it was.
			clear(part);
			part.restart(position);
		}
		part.position = position;
	}

	/** Drops the oldest order; false if there is none to drop. */
	@GuardedBy("lock")
	private boolean evict() {
		Part oldest = this.parts.values()
			.stream()
			.filter((part) -> !part.marks.isEmpty())
			.min(Comparator.comparingLong((part) -> part.marks.getFirst().timestamp()))
			.orElse(null);
		if (oldest == null) {
			return false;
		}
		Mark mark = oldest.marks.removeFirst();
		oldest.base = mark.offset() + 1;
		forget(oldest, mark, oldest.base);
		return true;
	}

	private void clear(Part part) {
		part.marks.forEach((mark) -> forget(part, mark, Long.MAX_VALUE));
		part.marks.clear();
	}

	/** Unless a later record below the bound says the same again. */
	private void forget(Part part, Mark mark, long below) {
		if (part.partition.topic().equals(Topics.ORDERS)) {
			this.accepted.computeIfPresent(mark.id(), (_, order) -> (order.lastOffset() < below) ? null : order);
		}
		else {
			this.saved.computeIfPresent(mark.id(), (_, save) -> (save.offset() < below) ? null : save);
		}
	}

	/** Asks Kafka for the ends, one question at a time. */
	@GuardedBy("lock")
	private void ask() {
		Admin client = this.admin;
		Round round = this.next;
		if (this.current != null || round == null || client == null || !this.topicIds.keySet().containsAll(TOPICS)) {
			return;
		}
		this.current = round;
		this.next = null;
		client.listOffsets(this.parts.keySet().stream().collect(Collectors.toMap((p) -> p, (_) -> OffsetSpec.latest())))
			.all()
			.whenComplete((ends, failure) -> {
				synchronized (this.lock) {
					if (this.current == round) {
						answered(round, ends, failure);
					}
				}
			});
	}

	@GuardedBy("lock")
	private void answered(Round round, @Nullable Map<TopicPartition, ListOffsetsResultInfo> ends,
			@Nullable Throwable failure) {
		if (ends == null) {
			logger.debug("Kafka does not tell the ends of the topics", failure);
			finish(Reading.BEHIND);
			return;
		}
		heard();
		round.ends = ends;
		check();
		if (this.current != null) {
			LockSupport.unpark(this.thread);
		}
	}

	/** Whether the current question is answered. */
	@GuardedBy("lock")
	private void check() {
		Round round = this.current;
		if (round == null || round.ends == null) {
			return;
		}
		long left = 0;
		boolean covered = true;
		for (Map.Entry<TopicPartition, ListOffsetsResultInfo> end : round.ends.entrySet()) {
			Part part = this.parts.get(end.getKey());
			if (part != null) {
				left += Math.max(0, end.getValue().offset() - part.position);
				covered &= part.base <= part.committed;
			}
		}
		this.lag = left;
		if (left == 0) {
			finish(covered ? Reading.CURRENT : Reading.BEHIND);
		}
		else if (System.nanoTime() - round.beginNanos > LOST.toNanos()) {
			// There is much to read. A caller that comes now need not wait for all of it.
			finish(Reading.BEHIND);
		}
	}

	@GuardedBy("lock")
	private void finish(Reading reading) {
		Round round = this.current;
		if (round != null) {
			this.current = null;
			// Not on this thread, which has all orders to read.
			round.done.completeAsync(() -> reading);
			ask();
		}
	}

	/** Ends every wait, because Kafka does not answer. */
	private void giveUp() {
		synchronized (this.lock) {
			for (Round round : new @Nullable Round[] { this.current, this.next }) {
				if (round != null) {
					round.done.completeAsync(() -> Reading.UNREACHABLE);
				}
			}
			this.current = null;
			this.next = null;
		}
	}

	private void reset() {
		synchronized (this.lock) {
			this.admin = null;
			finish(Reading.BEHIND);
			this.parts.values().forEach(this::clear);
			this.parts.clear();
			this.topicIds = Map.of();
		}
	}

	private void warn(Throwable failure) {
		if (!this.outage) {
			this.outage = true;
			logger.warn("The recent orders cannot be read from Kafka, retrying: {}", failure.toString());
		}
	}

	private static @Nullable String text(ConsumerRecord<byte[], byte[]> record, String name) {
		Header header = record.headers().lastHeader(name);
		return (header != null && header.value() != null) ? new String(header.value(), StandardCharsets.UTF_8) : null;
	}

	private static @Nullable UUID id(@Nullable String text) {
		try {
			return (text != null) ? UUID.fromString(text) : null;
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
	}

	private static @Nullable Instant time(@Nullable String text) {
		try {
			// As PostgreSQL keeps it.
			return (text != null) ? Instant.parse(text).truncatedTo(ChronoUnit.MICROS) : null;
		}
		catch (DateTimeException ex) {
			return null;
		}
	}

	@Override
	public void stop() {
		this.running = false;
		Thread reader = this.thread;
		if (reader != null) {
			LockSupport.unpark(reader);
			try {
				reader.join(LOST);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	/** Started before the web server and stopped after it. */
	@Override
	public int getPhase() {
		return 0;
	}

	/** How much has been read. */
	public enum Reading {

		/**
		 * Everything that PostgreSQL may not have yet: what is not known was not there.
		 */
		CURRENT,

		/** Not everything in time, or more than can be kept. */
		BEHIND,

		/** Kafka has answered nothing for some seconds. */
		UNREACHABLE

	}

	/**
	 * An order in {@link Topics#ORDERS}.
	 *
	 * @param fingerprint of its first record; null if its id does not come from an
	 * idempotency key
	 * @param first when it was accepted
	 * @param last when it was accepted again for redelivery, else as the first
	 * @param firstOffset of its first record
	 * @param lastOffset of its last record
	 */
	public record Acceptance(@Nullable Fingerprint fingerprint, Instant first, Instant last, long firstOffset,
			long lastOffset) {

		/** A later record with another payload is no acceptance: the first one counts. */
		Acceptance merge(Acceptance other) {
			Acceptance earlier = (this.firstOffset <= other.firstOffset) ? this : other;
			Acceptance later = (earlier == this) ? other : this;
			boolean same = later.fingerprint == null || later.fingerprint.equals(earlier.fingerprint);
			Instant last = (same && later.last.isAfter(earlier.last)) ? later.last : earlier.last;
			return new Acceptance(earlier.fingerprint, earlier.first, last, earlier.firstOffset,
					Math.max(this.lastOffset, other.lastOffset));
		}
	}

	/**
	 * An order that a gateway had saved synchronously.
	 *
	 * @param fingerprint null if its id does not come from an idempotency key
	 * @param savedAt by the backend's clock
	 * @param offset of its outcome
	 */
	public record SyncSave(@Nullable Fingerprint fingerprint, Instant savedAt, long offset) {
	}

	/** What Kafka says of topics and projection. */
	private record Look(List<TopicDescription> topics, Map<TopicPartition, OffsetAndMetadata> committed) {

		Map<String, TopicLayout> layout() {
			return this.topics.stream()
				.collect(Collectors.toMap(TopicDescription::name,
						(topic) -> new TopicLayout(topic.topicId(), topic.partitions().size())));
		}

	}

	private record TopicLayout(Uuid id, int partitions) {
	}

	/** What a record adds, parsed outside the lock. */
	private record Addition(ConsumerRecord<byte[], byte[]> record, UUID id, Runnable put) {
	}

	private record Mark(long offset, long timestamp, UUID id) {
	}

	/** One question how far the topics go, for all who wait for its answer. */
	private static final class Round {

		private final CompletableFuture<Reading> done = new CompletableFuture<>();

		private final long beginNanos = System.nanoTime();

		private @Nullable Map<TopicPartition, ListOffsetsResultInfo> ends;

	}

	/** How far a partition has been read. */
	private static final class Part {

		private final TopicPartition partition;

		/** Orders from here on are known. */
		private long base;

		/** The next record to be read. */
		private long position;

		/** PostgreSQL has all below. */
		private long committed;

		/** What was read and is not committed yet, in the order of the topic. */
		private final ArrayDeque<Mark> marks = new ArrayDeque<>();

		Part(TopicPartition partition, long committed) {
			this.partition = partition;
			restart(committed);
		}

		void restart(long offset) {
			this.base = offset;
			this.position = offset;
			this.committed = Math.max(0, offset);
		}

	}

}
