package dev.sluice.gateway.queue;

import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import dev.sluice.contract.OrderView;
import dev.sluice.gateway.core.order.ValidOrder;
import dev.sluice.gateway.core.queue.OrderQueueContract;
import dev.sluice.gateway.core.queue.QueuePolicy;
import org.junit.jupiter.api.AfterEach;
import org.springframework.kafka.core.KafkaTemplate;

class OrderQueueTests extends OrderQueueContract {

	private OrderQueue queue;

	@Override
	protected Function<ValidOrder, CompletionStage<OrderView>> queue(QueuePolicy policy,
			KafkaTemplate<String, byte[]> kafka) {
		this.queue = new OrderQueue(policy, kafka);
		return (order) -> this.queue.enqueue(order).toFuture();
	}

	@AfterEach
	void close() {
		this.queue.destroy();
	}

}
