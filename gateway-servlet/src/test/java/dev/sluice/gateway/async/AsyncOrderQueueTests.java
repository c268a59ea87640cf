package dev.sluice.gateway.async;

import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import dev.sluice.contract.OrderView;
import dev.sluice.gateway.core.order.ValidOrder;
import dev.sluice.gateway.core.queue.OrderQueueContract;
import dev.sluice.gateway.core.queue.QueuePolicy;
import org.springframework.kafka.core.KafkaTemplate;

/** The same behaviour, without holding the calling thread. */
class AsyncOrderQueueTests extends OrderQueueContract {

	@Override
	protected Function<ValidOrder, CompletionStage<OrderView>> queue(QueuePolicy policy,
			KafkaTemplate<String, byte[]> kafka) {
		return new AsyncDispatch(null, null, policy, kafka)::enqueue;
	}

}
