package dev.sluice.consumer;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.function.Function;

import dev.sluice.contract.OrderOutcome;
import dev.sluice.contract.Topics;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** A producer to a Kafka that acknowledges everything that a test does not refuse. */
public class TestProducer extends MockProducer<byte[], byte[]> {

	private static final JsonMapper JSON = JsonMapper.shared();

	/** Failures of the next sends. */
	public final Queue<RuntimeException> failures = new ConcurrentLinkedQueue<>();

	/** Why Kafka does not acknowledge a record; null if it does. */
	public volatile Function<ProducerRecord<byte[], byte[]>, @Nullable RuntimeException> refuses = (_) -> this.failures
		.poll();

	/** Whether the producer itself throws the failure. */
	public volatile boolean throwing;

	public TestProducer() {
		super(true, null, new ByteArraySerializer(), new ByteArraySerializer());
	}

	@Override
	public synchronized Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> record) {
		RuntimeException failure = this.refuses.apply(record);
		if (failure != null && this.throwing) {
			throw failure;
		}
		return (failure != null) ? CompletableFuture.failedFuture(failure) : super.send(record);
	}

	public List<OrderOutcome> outcomes() {
		return history().stream()
			.filter((record) -> record.topic().equals(Topics.ORDER_OUTCOMES))
			.map((record) -> JSON.readValue(record.value(), OrderOutcome.class))
			.toList();
	}

	public List<ProducerRecord<byte[], byte[]>> deadLetters() {
		return history().stream().filter((record) -> record.topic().equals(Topics.ORDERS_DLT)).toList();
	}

	public static @Nullable String header(ProducerRecord<?, ?> record, String name) {
		Header header = record.headers().lastHeader(name);
		return (header != null) ? new String(header.value()) : null;
	}

}
