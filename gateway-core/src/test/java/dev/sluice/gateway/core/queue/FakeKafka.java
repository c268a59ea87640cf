package dev.sluice.gateway.core.queue;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import dev.sluice.contract.OrderHeaders;
import dev.sluice.contract.OrderOutcome;
import dev.sluice.contract.Topics;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.internals.KafkaFutureImpl;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyMap;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;
import static org.mockito.Mockito.withSettings;

/**
 * The two topics of orders, with one partition each, as the clients of
 * {@link RecentOrders} see them. They answer at once, late or not at all, as the test
 * decides.
 */
final class FakeKafka {

	static final String GROUP = "projection";

	private final Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> log = new ConcurrentHashMap<>();

	private final Map<TopicPartition, Long> ends = new ConcurrentHashMap<>();

	private final Map<TopicPartition, OffsetAndMetadata> committed = new ConcurrentHashMap<>();

	private final Answers questions = new Answers();

	private volatile boolean hasTopics = true;

	private volatile boolean answersLooks = true;

	private volatile @Nullable KafkaException lookFailure;

	private final AtomicReference<@Nullable Throwable> pollFailure = new AtomicReference<>();

	private final AtomicInteger polls = new AtomicInteger();

	private final AtomicInteger closedAdmins = new AtomicInteger();

	private final AtomicInteger closedConsumers = new AtomicInteger();

	private volatile boolean holdsPolls;

	private volatile boolean pollHeld;

	Map<String, Uuid> topics() {
		return this.hasTopics ? Map.of(Topics.ORDERS, Uuid.ONE_UUID) : Map.of();
	}

	void hasTopics(boolean there) {
		this.hasTopics = there;
	}

	Admin admin() {
		Admin admin = mock(Admin.class, withSettings().stubOnly());
		when(admin.listOffsets(anyMap())).thenAnswer((call) -> ends(call.getArgument(0)));
		doAnswer((_) -> this.closedAdmins.incrementAndGet()).when(admin).close(any(Duration.class));
		return admin;
	}

	Consumer<byte[], byte[]> consumer() {
		return new LogConsumer();
	}

	void accept(UUID id, Instant acceptedAt) {
		Headers headers = new RecordHeaders().add(OrderHeaders.ID, utf8(id.toString()))
			.add(OrderHeaders.TIME, utf8(acceptedAt.toString()));
		append(new TopicPartition(Topics.ORDERS, 0), utf8("c-1"), utf8("{}"), headers);
	}

	void publish(OrderOutcome outcome) {
		append(new TopicPartition(Topics.ORDER_OUTCOMES, 0), utf8(outcome.key()),
				JsonMapper.shared().writeValueAsBytes(outcome), new RecordHeaders());
	}

	private void append(TopicPartition partition, byte[] key, byte[] value, Headers headers) {
		List<ConsumerRecord<byte[], byte[]>> records = log(partition);
		long offset = records.size();
		records.add(new ConsumerRecord<>(partition.topic(), partition.partition(), offset, offset,
				TimestampType.CREATE_TIME, key.length, value.length, key, value, headers, Optional.empty()));
		this.ends.merge(partition, offset + 1, Math::max);
	}

	/** Adds records that the consumer does not get yet. */
	void endsAt(TopicPartition partition, long end) {
		this.ends.put(partition, end);
	}

	/** The projection commits. */
	void commit(TopicPartition partition, long offset) {
		this.committed.put(partition, new OffsetAndMetadata(offset));
	}

	/** Sets whether it answers; true also answers earlier questions. */
	void answers(boolean answers) {
		this.answersLooks = answers;
		this.questions.open(answers);
	}

	/** Sets whether it returns the ends of the topics. */
	void answersEnds(boolean answers) {
		this.questions.open(answers);
	}

	void failsEnds(KafkaException failure) {
		this.questions.failure = failure;
	}

	void failsLooks(@Nullable KafkaException failure) {
		this.lookFailure = failure;
	}

	/**
	 * @param failure an unchecked exception or an Error
	 */
	void failPoll(Throwable failure) {
		this.pollFailure.set(failure);
	}

	/** Waits until the consumer is in a poll, which then lasts. */
	void holdPoll() {
		this.holdsPolls = true;
		await().until(() -> this.pollHeld);
	}

	void releasePoll() {
		this.holdsPolls = false;
	}

	/** Number of admin clients and consumers that were closed. */
	int closed() {
		return this.closedAdmins.get() + this.closedConsumers.get();
	}

	/** Waits until the consumer has been polled this many times more. */
	void awaitPolls(int more) {
		int until = this.polls.get() + more;
		await().until(() -> this.polls.get() >= until);
	}

	private List<ConsumerRecord<byte[], byte[]>> log(TopicPartition partition) {
		return this.log.computeIfAbsent(partition, (_) -> new CopyOnWriteArrayList<>());
	}

	private ListOffsetsResult ends(Map<TopicPartition, OffsetSpec> asked) {
		return new ListOffsetsResult(asked.keySet()
			.stream()
			.collect(Collectors.toMap(Function.identity(), (partition) -> this.questions.answer(
					() -> new ListOffsetsResultInfo(this.ends.getOrDefault(partition, 0L), -1, Optional.empty())))));
	}

	private static byte[] utf8(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	/** The answers to one kind of question, which it may hold back. */
	private static final class Answers {

		private final Queue<Runnable> open = new ConcurrentLinkedQueue<>();

		private volatile boolean answers = true;

		private volatile @Nullable KafkaException failure;

		<T> KafkaFuture<T> answer(Supplier<T> answer) {
			KafkaFutureImpl<T> future = new KafkaFutureImpl<>();
			this.open.add(() -> complete(future, answer));
			answerOpen();
			return future;
		}

		private <T> void complete(KafkaFutureImpl<T> future, Supplier<T> answer) {
			try {
				if (this.failure != null) {
					throw this.failure;
				}
				future.complete(answer.get());
			}
			catch (KafkaException ex) {
				future.completeExceptionally(ex);
			}
		}

		void open(boolean answers) {
			this.answers = answers;
			answerOpen();
		}

		private void answerOpen() {
			while (this.answers) {
				Runnable next = this.open.poll();
				if (next == null) {
					return;
				}
				next.run();
			}
		}

	}

	/** Returns the log's records from its positions on. */
	private final class LogConsumer extends MockConsumer<byte[], byte[]> {

		LogConsumer() {
			super("earliest");
		}

		@Override
		public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
			do {
				FakeKafka.this.pollHeld = FakeKafka.this.holdsPolls;
				LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
			}
			while (FakeKafka.this.pollHeld);
			switch (FakeKafka.this.pollFailure.getAndSet(null)) {
				case RuntimeException ex -> throw ex;
				case Error ex -> throw ex;
				case null, default -> {
				}
			}
			for (TopicPartition partition : assignment()) {
				long position = position(partition);
				log(partition).stream().filter((record) -> record.offset() >= position).forEach(this::addRecord);
			}
			ConsumerRecords<byte[], byte[]> records = super.poll(timeout);
			FakeKafka.this.polls.incrementAndGet();
			return records;
		}

		@Override
		public List<PartitionInfo> partitionsFor(String topic) {
			return List.of(new PartitionInfo(topic, 0, null, null, null));
		}

		@Override
		public Map<TopicPartition, OffsetAndMetadata> committed(Set<TopicPartition> partitions) {
			KafkaException failure = FakeKafka.this.answersLooks ? FakeKafka.this.lookFailure
					: new TimeoutException("no answer");
			if (failure != null) {
				throw failure;
			}
			return FakeKafka.this.committed;
		}

		@Override
		public Map<TopicPartition, Long> beginningOffsets(Collection<TopicPartition> partitions) {
			return Map.of();
		}

		@Override
		public Map<TopicPartition, Long> endOffsets(Collection<TopicPartition> partitions) {
			return partitions.stream()
				.collect(Collectors.toMap(Function.identity(), (partition) -> (long) log(partition).size()));
		}

		@Override
		public void close() {
			super.close();
			FakeKafka.this.closedConsumers.incrementAndGet();
		}

	}

}
