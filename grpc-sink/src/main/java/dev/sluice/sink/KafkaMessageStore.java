package dev.sluice.sink;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import dev.sluice.contract.Topics;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.RecordTooLargeException;

import org.springframework.kafka.core.KafkaTemplate;

/**
 * Stores messages in Kafka's topic {@value Topics#SINK}: key = id, value = payload.
 * <p>
 * Thread-safe. Bounds are the producer's: it waits at most {@code max.block.ms} for room
 * in its buffer, and gives up a message after {@code delivery.timeout.ms}. Until the
 * topic is known to be there it refuses at once.
 */
final class KafkaMessageStore implements MessageStore {

	private final KafkaTemplate<byte[], byte[]> kafka;

	private final SinkTopic topic;

	KafkaMessageStore(KafkaTemplate<byte[], byte[]> kafka, SinkTopic topic) {
		this.kafka = kafka;
		this.topic = topic;
	}

	@Override
	public CompletableFuture<Void> store(byte[] id, byte[] payload) {
		if (!this.topic.ready()) {
			return CompletableFuture
				.failedFuture(new StoreUnavailableException("Kafka has not answered since the sink was started"));
		}
		try {
			return this.kafka.send(new ProducerRecord<>(Topics.SINK, id, payload)).handle((_, failure) -> {
				if (failure != null) {
					throw translate(failure);
				}
				return null;
			});
		}
		catch (KafkaException | org.springframework.kafka.KafkaException ex) {
			return CompletableFuture.failedFuture(translate(ex));
		}
	}

	private static RuntimeException translate(Throwable failure) {
		Throwable cause = failure;
		while ((cause instanceof CompletionException || cause instanceof org.springframework.kafka.KafkaException)
				&& cause.getCause() != null) {
			cause = cause.getCause();
		}
		return (cause instanceof RecordTooLargeException)
				? new MessageTooLargeException("Kafka does not take so large a message", cause)
				: new StoreUnavailableException("Kafka did not acknowledge the message: " + cause, cause);
	}

}
