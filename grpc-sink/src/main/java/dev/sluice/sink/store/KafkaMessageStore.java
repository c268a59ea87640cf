package dev.sluice.sink.store;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import com.google.protobuf.ByteString;
import dev.sluice.contract.Topics;
import dev.sluice.sink.format.Content;
import dev.sluice.sink.format.TopicRecord;
import dev.sluice.sink.sequence.Place;
import org.apache.kafka.clients.producer.BufferExhaustedException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.utils.Utils;

import org.springframework.kafka.core.KafkaTemplate;

/**
 * The topic {@code sink}: durable once all replicas in sync have it. The producer waits a
 * bounded time for room in its buffer and then tries for ever: it is idempotent, so that
 * what it tries again is there once, and what it gave up nobody could know of. If it
 * fails all the same, the topic's end is read again before anything else is taken.
 * <p>
 * Messages of sessions go there in transactions ({@link SessionWriter}), so that several
 * sinks can share the topic. Its readers should read what is committed
 * ({@code isolation.level=read_committed}).
 */
public final class KafkaMessageStore implements MessageStore, AutoCloseable {

	private final KafkaTemplate<byte[], byte[]> kafka;

	private final SinkTopic topic;

	private final KafkaSessions sessions;

	KafkaMessageStore(KafkaTemplate<byte[], byte[]> kafka, SinkTopic topic, KafkaSessions sessions) {
		this.kafka = kafka;
		this.topic = topic;
		this.sessions = sessions;
	}

	/**
	 * Stores in a topic.
	 * @param kafka sends what has no place
	 * @param topic is watched
	 * @param maxWriters sessions that send at once at most
	 * @param maxAge for which a session is known after its last message
	 */
	public static KafkaMessageStore of(KafkaTemplate<byte[], byte[]> kafka, SinkTopic topic, int maxWriters,
			Duration maxAge) {
		KafkaSessions sessions = new KafkaSessions(kafka.getProducerFactory().getConfigurationProperties(), maxWriters,
				maxAge);
		topic.onRead(sessions::forget);
		return new KafkaMessageStore(kafka, topic, sessions);
	}

	@Override
	public boolean ready() {
		return this.topic.ready();
	}

	@Override
	public CompletableFuture<Integer> store(Content content) {
		try {
			Integer partition = content.key().isEmpty() ? null
					: partition(content.key(), this.kafka.partitionsFor(Topics.SINK).size());
			return this.kafka.send(TopicRecord.of(Topics.SINK, partition, content, null, 0))
				.handle((result, failure) -> {
					if (failure != null) {
						throw translate(failure);
					}
					return result.getRecordMetadata().partition();
				});
		}
		catch (KafkaException | org.springframework.kafka.KafkaException ex) {
			return CompletableFuture.failedFuture(translate(ex));
		}
	}

	@Override
	public CompletableFuture<OnceStore.Outcome> store(Place place, Content content) {
		CompletableFuture<OnceStore.Outcome> done = new CompletableFuture<>();
		store(List.of(new Placed(place, content)), (_, results) -> results.getFirst().to(done));
		return done;
	}

	@Override
	public void store(List<Placed> messages, Completion completion) {
		this.sessions.store(messages, completion);
	}

	/** As Kafka's own partitioner does with a record's key. */
	static int partition(ByteString key, int partitions) {
		return Utils.toPositive(Utils.murmur2(key.toByteArray())) % partitions;
	}

	@Override
	public void close() {
		this.sessions.close();
	}

	private RuntimeException translate(Throwable failure) {
		Throwable cause = failure;
		while ((cause instanceof CompletionException || cause instanceof org.springframework.kafka.KafkaException)
				&& cause.getCause() != null) {
			cause = cause.getCause();
		}
		if (cause instanceof RecordTooLargeException) {
			return new MessageTooLargeException("Kafka does not take so large a message", cause);
		}
		if (!(cause instanceof TimeoutException || cause instanceof BufferExhaustedException)) {
			// The producer is at its end, and whether the broker has the message is open.
			this.topic.readAgain();
			this.kafka.getProducerFactory().reset();
		}
		return new StoreUnavailableException("Kafka did not acknowledge the message: " + cause, cause);
	}

}
