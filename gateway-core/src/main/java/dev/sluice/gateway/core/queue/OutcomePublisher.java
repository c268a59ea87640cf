package dev.sluice.gateway.core.queue;

import java.time.Instant;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import dev.sluice.contract.Fingerprint;
import dev.sluice.contract.OrderOutcome;
import dev.sluice.contract.OrderView;
import dev.sluice.contract.SavedOrder;
import dev.sluice.contract.Topics;
import dev.sluice.gateway.core.backend.BackendResult;
import dev.sluice.gateway.core.config.QueueProperties;
import dev.sluice.gateway.core.metrics.GatewayMetric;
import dev.sluice.gateway.core.order.ValidOrder;
import dev.sluice.gateway.core.problem.ProblemException;
import dev.sluice.gateway.core.web.OrderReply;
import dev.sluice.gateway.core.web.OrderRequest;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/**
 * Publishes to {@link Topics#ORDER_OUTCOMES} that the backend has an order which was not
 * delivered from Kafka, so that the status projection and all gateways know it. No
 * request waits for it. At most {@code queue.max-in-flight} outcomes await Kafka's
 * acknowledgement; further ones, and those that fail, are lost and counted.
 */
@Component
public class OutcomePublisher implements DisposableBean {

	private static final Logger logger = LoggerFactory.getLogger(OutcomePublisher.class);

	private final KafkaTemplate<String, byte[]> kafka;

	private final OrderTopics topics;

	private final RecentOrders recent;

	private final JsonMapper json;

	private final Semaphore places;

	private final Counter lost;

	/** Sending may block, for {@code max.block.ms} at most. */
	private final ExecutorService sender = Executors
		.newSingleThreadExecutor(Thread.ofPlatform().daemon().name("outcome-sender").factory());

	public OutcomePublisher(QueueProperties properties, KafkaTemplate<String, byte[]> kafka, OrderTopics topics,
			RecentOrders recent, JsonMapper json, MeterRegistry meters) {
		this.kafka = kafka;
		this.topics = topics;
		this.recent = recent;
		this.json = json;
		this.places = new Semaphore(properties.maxInFlight());
		this.lost = GatewayMetric.OUTCOMES_LOST.counter(meters);
	}

	/**
	 * Publishes what the backend answered to a sync order: that it has it, or another one
	 * under the id.
	 * @return the saved order, as the client sees it
	 * @throws ProblemException if the backend did not confirm that it saved the order
	 */
	public OrderView publish(OrderRequest request, BackendResult result) {
		ValidOrder order = request.order();
		Fingerprint fingerprint = order.fingerprint();
		if (result instanceof BackendResult.Conflict && fingerprint != null) {
			publish(OrderOutcome.conflict(order.id(), order.customerId(), Instant.now(), fingerprint));
		}
		SavedOrder saved = result.savedOrThrow(request.key());
		publish(OrderOutcome.savedSync(saved.id(), order.customerId(), saved.savedAt(), fingerprint));
		return OrderReply.saved(saved);
	}

	public void publish(OrderOutcome outcome) {
		if (!this.topics.ready() || !this.places.tryAcquire()) {
			this.lost.increment();
			return;
		}
		if (outcome.conflict() == null) {
			Fingerprint fingerprint = (outcome.fingerprint() != null) ? new Fingerprint(outcome.fingerprint()) : null;
			this.recent.publishing(outcome.orderId(), fingerprint, outcome.at());
		}
		try {
			this.sender.execute(() -> send(outcome));
		}
		catch (RejectedExecutionException ex) {
			// The gateway is shutting down.
			end(outcome, null, ex);
		}
	}

	private void send(OrderOutcome outcome) {
		try {
			this.kafka.send(Topics.ORDER_OUTCOMES, outcome.key(), this.json.writeValueAsBytes(outcome))
				.whenComplete(
						(sent, failure) -> end(outcome, (sent != null) ? sent.getRecordMetadata() : null, failure));
		}
		catch (RuntimeException ex) {
			if (!(ex instanceof KafkaException || ex instanceof org.springframework.kafka.KafkaException)) {
				logger.error("The outcome of order {} was not published because of a bug", outcome.orderId(), ex);
			}
			end(outcome, null, ex);
		}
	}

	private void end(OrderOutcome outcome, @Nullable RecordMetadata record, @Nullable Throwable failure) {
		this.places.release();
		if (outcome.conflict() == null) {
			this.recent.published(outcome.orderId(), record);
		}
		if (record == null) {
			logger.debug("The outcome of order {} was not published", outcome.orderId(), failure);
			this.lost.increment();
		}
	}

	/** Hands the remaining outcomes to the producer, which is closed after this. */
	@Override
	public void destroy() throws InterruptedException {
		this.sender.shutdown();
		if (!this.sender.awaitTermination(1, TimeUnit.SECONDS)) {
			logger.warn("The last outcomes of synchronous orders could not be handed to Kafka's producer");
		}
	}

}
