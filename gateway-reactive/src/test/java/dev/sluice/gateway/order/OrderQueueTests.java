package dev.sluice.gateway.order;

import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import dev.sluice.contract.OrderView;
import dev.sluice.gateway.core.order.ValidOrder;
import dev.sluice.gateway.core.queue.OrderQueueContract;
import dev.sluice.gateway.core.queue.QueuePolicy;
import org.springframework.kafka.core.KafkaTemplate;

class OrderQueueTests extends OrderQueueContract {

	@Override
	protected Function<ValidOrder, CompletionStage<OrderView>> queue(QueuePolicy policy,
			KafkaTemplate<String, byte[]> kafka) {
		OrderQueue queue = new OrderQueue(policy, kafka);
		return (order) -> queue.enqueue(order).toFuture();
	}

}
