package dev.sluice.gateway.core.queue;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import dev.sluice.contract.Order;
import dev.sluice.contract.OrderHeaders;
import dev.sluice.contract.Placed;
import dev.sluice.contract.Topics;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.kafka.core.KafkaTemplate;

/**
 * One order on its way into Kafka. It knows whether the producer may have it, which
 * decides what a client is told when no acknowledgement comes. One thread sends, another
 * may give up.
 */
public final class PendingSend {

	private final ProducerRecord<String, byte[]> message;

	private final CompletableFuture<RecordMetadata> acknowledgement = new CompletableFuture<>();

	/** Whoever sets it decides: it is sent, or it never will be. */
	private final AtomicBoolean decided = new AtomicBoolean();

	/** The producer has refused the record at once. */
	private volatile boolean refused;

	private PendingSend(ProducerRecord<String, byte[]> message) {
		this.message = message;
	}

	/**
	 * Makes the record of an order.
	 * @param source the gateway, {@link OrderHeaders#SOURCE}
	 */
	public static PendingSend of(UUID id, Order order, byte[] json, @Nullable String traceparent, Instant acceptedAt,
			byte[] source) {
		ProducerRecord<String, byte[]> message = new ProducerRecord<>(Topics.ORDERS, order.customerId(), json);
		Headers headers = message.headers()
			.add(OrderHeaders.ID, utf8(id.toString()))
			.add(OrderHeaders.SOURCE, source)
			.add(OrderHeaders.SPEC_VERSION, utf8(OrderHeaders.SPEC_VERSION_VALUE))
			.add(OrderHeaders.TYPE, utf8(OrderHeaders.TYPE_VALUE))
			.add(OrderHeaders.TIME, utf8(acceptedAt.toString()))
			.add(OrderHeaders.CONTENT_TYPE, utf8(MediaType.APPLICATION_JSON_VALUE));
		if (traceparent != null) {
			headers.add(OrderHeaders.TRACEPARENT, utf8(traceparent));
		}
		return new PendingSend(message);
	}

	/** Where the record is in Kafka, once all replicas have it. */
	public CompletableFuture<RecordMetadata> acknowledgement() {
		return this.acknowledgement;
	}

	/**
	 * Hands the record to the producer, unless it was given up. May block for
	 * {@code max.block.ms}.
	 */
	public void send(KafkaTemplate<String, byte[]> kafka) {
		if (!this.decided.compareAndSet(false, true)) {
			return;
		}
		AtomicBoolean handedOver = new AtomicBoolean();
		Thread caller = Thread.currentThread();
		try {
			// Not by send(): the template does not tell what the producer never took.
			kafka.execute((producer) -> producer.send(this.message, (metadata, failure) -> {
				if (failure == null) {
					this.acknowledgement.complete(metadata);
				}
				else {
					this.refused = Thread.currentThread() == caller && !handedOver.get();
					this.acknowledgement.completeExceptionally(failure);
				}
			}));
			handedOver.set(true);
		}
		catch (RuntimeException ex) {
			this.refused = true;
			this.acknowledgement.completeExceptionally(ex);
		}
	}

	/**
	 * No acknowledgement has come, and none is waited for any more.
	 * @return {@link Placed#NO} if the producer never had the record and never will
	 */
	public Placed giveUp() {
		return (this.decided.compareAndSet(false, true) || this.refused) ? Placed.NO : Placed.UNKNOWN;
	}

	private static byte[] utf8(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
