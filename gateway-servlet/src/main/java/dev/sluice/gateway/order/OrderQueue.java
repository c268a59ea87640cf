package dev.sluice.gateway.order;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import dev.sluice.contract.OrderView;
import dev.sluice.gateway.core.order.ValidOrder;
import dev.sluice.gateway.core.problem.ProblemException;
import dev.sluice.gateway.core.queue.PendingSend;
import dev.sluice.gateway.core.queue.QueuePolicy;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.stereotype.Component;

/**
 * Puts orders into Kafka, within the limits of {@link QueuePolicy}. An order is accepted
 * only when the broker has acknowledged it with acks=all. Holds the calling thread for at
 * most {@code queue.timeout}.
 */
@Component
record OrderQueue(QueuePolicy policy, KafkaTemplate<String, byte[]> kafka) {

	/**
	 * Makes an order durable.
	 * @param order the order
	 * @return the order, accepted
	 * @throws ProblemException if Kafka does not acknowledge the order in time
	 */
	OrderView enqueue(ValidOrder order) {
		PendingSend send = this.policy.prepare(order);
		try {
			RecordMetadata record = this.policy.bulkhead()
				.executeCallable(() -> this.policy.circuit().executeCallable(() -> acknowledged(send)));
			return this.policy.acknowledged(send, record);
		}
		catch (Exception ex) {
			if (ex instanceof InterruptedException) {
				Thread.currentThread().interrupt();
			}
			Throwable cause = (ex instanceof ExecutionException) ? ex.getCause() : null;
			throw this.policy.problem(send, (cause != null) ? cause : ex);
		}
	}

	private RecordMetadata acknowledged(PendingSend send) throws Exception {
		long deadlineNanos = System.nanoTime() + this.policy.properties().timeout().toNanos();
		// May block for max.block.ms.
		send.send(this.kafka);
		return send.acknowledgement().get(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
	}

}
