package dev.sluice.gateway.async;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import dev.sluice.contract.OrderView;
import dev.sluice.gateway.core.order.ValidOrder;
import dev.sluice.gateway.core.problem.ProblemException;
import dev.sluice.gateway.core.queue.PendingSend;
import dev.sluice.gateway.core.queue.QueuePolicy;
import io.github.resilience4j.bulkhead.Bulkhead;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.stereotype.Component;

/**
 * Like {@link dev.sluice.gateway.order.OrderQueue}, but does not hold the calling thread:
 * a thread of its own sends, because sending may block for {@code max.block.ms}.
 */
@Component
@ConditionalOnProperty(name = "sluice.threads", havingValue = "async")
record AsyncOrderQueue(QueuePolicy policy, KafkaTemplate<String, byte[]> kafka) {

	/**
	 * Makes an order durable.
	 * @param order the order
	 * @return the order, accepted; fails with {@link ProblemException} if Kafka does not
	 * acknowledge the order in time
	 * @throws ProblemException if Kafka's topics are not there
	 */
	CompletionStage<OrderView> enqueue(ValidOrder order) {
		PendingSend send = this.policy.prepare(order);
		return Bulkhead
			.decorateCompletionStage(this.policy.bulkhead(),
					CircuitBreaker.decorateCompletionStage(this.policy.circuit(), () -> acknowledged(send)))
			.get()
			.handle((record, failure) -> {
				if (failure != null) {
					throw this.policy.problem(send, AsyncBackendClient.cause(failure));
				}
				return this.policy.acknowledged(send, record);
			});
	}

	private CompletionStage<RecordMetadata> acknowledged(PendingSend send) {
		CompletableFuture<RecordMetadata> acknowledgement = send.acknowledgement()
			.orTimeout(this.policy.properties().timeout().toNanos(), TimeUnit.NANOSECONDS);
		this.policy.sender().execute(() -> send.send(this.kafka));
		return acknowledgement;
	}

}
