package dev.sluice.sink.store;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;

import com.google.protobuf.ByteString;
import dev.sluice.contract.Topics;
import dev.sluice.sink.format.Content;
import dev.sluice.sink.format.TopicRecord;
import dev.sluice.topics.TopicWatch;
import io.grpc.Status;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

import org.springframework.kafka.core.KafkaTemplate;

/**
 * Stores messages in the topic {@code sink}. A message is durable once all in-sync
 * replicas have it. The producer blocks for a bounded time if its buffer is full, and
 * then retries forever. It is idempotent, so a retried message is stored once; if it gave
 * up, nobody would know whether the message is stored. If it fails nevertheless, another
 * producer takes its place, and a repeat of the message may be stored again.
 * <p>
 * Messages of sessions are written in transactions ({@link SessionWriter}), so that
 * several sinks can share the topic. Its readers should use
 * {@code isolation.level=read_committed}.
 */
public final class KafkaMessageStore implements MessageStore {

	static final Completed TOO_LARGE = Completed.refused(Status.Code.RESOURCE_EXHAUSTED,
			"The message is too large for Kafka");

	private final KafkaTemplate<byte[], byte[]> kafka;

	private final TopicWatch topic;

	private final KafkaSessions sessions;

	/**
	 * Creates a store.
	 * @param kafka sends messages without a place
	 * @param topic watches the topic
	 * @param sessions stores messages with a place
	 */
	public KafkaMessageStore(KafkaTemplate<byte[], byte[]> kafka, TopicWatch topic, KafkaSessions sessions) {
		this.kafka = kafka;
		this.topic = topic;
		this.sessions = sessions;
	}

	@Override
	public @Nullable Uuid topic() {
		return this.topic.ids().get(Topics.SINK);
	}

	@Override
	public void store(List<Placed> messages, Consumer<List<Completed>> completion) {
		Placed first = messages.getFirst();
		if (first.place() != null) {
			this.sessions.store(messages, completion);
			return;
		}
		var _ = send(first.content()).handle((_, failure) -> (failure != null) ? failed(failure) : Completed.STORED)
			.thenAccept((result) -> completion.accept(List.of(result)));
	}

	private CompletableFuture<?> send(Content content) {
		try {
			Integer partition = content.key().isEmpty() ? null
					: partition(content.key(), this.kafka.partitionsFor(Topics.SINK).size());
			return this.kafka.send(TopicRecord.of(Topics.SINK, partition, content, null, 0));
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	/** The partition that Kafka's own partitioner chooses for a record with this key. */
	static int partition(ByteString key, int partitions) {
		return Utils.toPositive(Utils.murmur2(key.toByteArray())) % partitions;
	}

	private Completed failed(Throwable failure) {
		Throwable cause = failure;
		while ((cause instanceof CompletionException || cause instanceof org.springframework.kafka.KafkaException)
				&& cause.getCause() != null) {
			cause = cause.getCause();
		}
		if (cause instanceof RecordTooLargeException) {
			return TOO_LARGE;
		}
		// A full buffer is a time-out too.
		if (!(cause instanceof TimeoutException)) {
			// The producer is unusable.
			this.kafka.getProducerFactory().reset();
		}
		return Completed.notNow("Kafka did not acknowledge the message: " + cause);
	}

}
