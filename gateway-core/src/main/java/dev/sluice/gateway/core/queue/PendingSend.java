package dev.sluice.gateway.core.queue;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import dev.sluice.contract.OrderHeaders;
import dev.sluice.contract.Placed;
import dev.sluice.contract.Topics;
import dev.sluice.gateway.core.order.ValidOrder;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.header.Headers;
import org.springframework.http.MediaType;
import org.springframework.kafka.core.KafkaTemplate;

/**
 * One order on its way into Kafka. It knows whether the producer may have the order,
 * which decides the answer to the client if Kafka does not acknowledge it. One thread
 * sends, another may give up.
 */
public final class PendingSend {

	private final ValidOrder order;

	private final Instant acceptedAt;

	private final ProducerRecord<String, byte[]> message;

	private final CompletableFuture<RecordMetadata> acknowledgement = new CompletableFuture<>();

	/**
	 * Set once: by {@link #send}, or by {@link #giveUp}, after which it is never sent.
	 */
	private final AtomicBoolean decided = new AtomicBoolean();

	/** Whether the producer or the broker refused the record for good. */
	private volatile boolean refused;

	/**
	 * Makes the record of an order.
	 * @param order the order
	 * @param acceptedAt when the gateway accepted it
	 * @param source the gateway, {@link OrderHeaders#SOURCE}
	 */
	PendingSend(ValidOrder order, Instant acceptedAt, byte[] source) {
		this.order = order;
		this.acceptedAt = acceptedAt;
		this.message = new ProducerRecord<>(Topics.ORDERS, order.customerId(), order.json());
		Headers headers = this.message.headers()
			.add(OrderHeaders.ID, utf8(order.id().toString()))
			.add(OrderHeaders.SOURCE, source)
			.add(OrderHeaders.SPEC_VERSION, utf8(OrderHeaders.SPEC_VERSION_VALUE))
			.add(OrderHeaders.TYPE, utf8(OrderHeaders.TYPE_VALUE))
			.add(OrderHeaders.TIME, utf8(acceptedAt.toString()))
			.add(OrderHeaders.CONTENT_TYPE, utf8(MediaType.APPLICATION_JSON_VALUE));
		if (order.traceparent() != null) {
			headers.add(OrderHeaders.TRACEPARENT, utf8(order.traceparent()));
		}
	}

	public ValidOrder order() {
		return this.order;
	}

	public Instant acceptedAt() {
		return this.acceptedAt;
	}

	/** The record's place in Kafka, once all in-sync replicas have it. */
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
			// Not send(): the template does not show that the producer never accepted a
			// record.
			kafka.execute((producer) -> producer.send(this.message, (metadata, failure) -> {
				if (failure == null) {
					this.acknowledgement.complete(metadata);
				}
				else {
					// A broker refuses these, by the record's content, at each try.
					this.refused = failure instanceof InvalidTimestampException
							|| failure instanceof InvalidRecordException || failure instanceof RecordTooLargeException
							|| (Thread.currentThread() == caller && !handedOver.get());
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
	 * Stops waiting for the acknowledgement.
	 * @return {@link Placed#NO} if Kafka does not have the record and never will
	 */
	public Placed giveUp() {
		return (this.decided.compareAndSet(false, true) || this.refused) ? Placed.NO : Placed.UNKNOWN;
	}

	private static byte[] utf8(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
