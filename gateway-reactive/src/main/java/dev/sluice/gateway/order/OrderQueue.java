package dev.sluice.gateway.order;

import dev.sluice.contract.OrderView;
import dev.sluice.gateway.core.order.ValidOrder;
import dev.sluice.gateway.core.problem.ProblemException;
import dev.sluice.gateway.core.queue.PendingSend;
import dev.sluice.gateway.core.queue.QueuePolicy;
import io.github.resilience4j.reactor.bulkhead.operator.BulkheadOperator;
import io.github.resilience4j.reactor.circuitbreaker.operator.CircuitBreakerOperator;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.stereotype.Component;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Puts orders into Kafka, within the limits of {@link QueuePolicy}. An order is accepted
 * only when the broker has acknowledged it with acks=all. A thread of its own sends,
 * because sending may block for {@code max.block.ms}.
 */
@Component
record OrderQueue(QueuePolicy policy, KafkaTemplate<String, byte[]> kafka) {

	/**
	 * Makes an order durable.
	 * @param order the order
	 * @return the order, accepted; fails with {@link ProblemException} if Kafka does not
	 * acknowledge the order in time
	 */
	Mono<OrderView> enqueue(ValidOrder order) {
		return Mono.defer(() -> {
			PendingSend send = this.policy.prepare(order);
			return acknowledged(send).timeout(this.policy.properties().timeout())
				.transformDeferred(CircuitBreakerOperator.of(this.policy.circuit()))
				.transformDeferred(BulkheadOperator.of(this.policy.bulkhead()))
				// Not on the producer's thread, which must go on sending other orders.
				.publishOn(Schedulers.parallel())
				.onErrorMap((failure) -> this.policy.problem(send, failure))
				.map((record) -> this.policy.acknowledged(send, record));
		});
	}

	private Mono<RecordMetadata> acknowledged(PendingSend send) {
		return Mono.defer(() -> {
			this.policy.sender().execute(() -> send.send(this.kafka));
			// Only this order waits for it, so giving up is enough.
			return Mono.fromFuture(send.acknowledgement(), true).doOnCancel(send::giveUp);
		});
	}

}
