package dev.sluice.consumer.delivery;

import java.time.Duration;
import java.util.Map;

import org.springframework.context.SmartLifecycle;

/** Reads {@code orders}, starts deliveries and tells Kafka what is finished. */
interface DeliverySource extends SmartLifecycle {

	/** Whether its threads run. They also run while Kafka is away. */
	boolean isAlive();

	/** Whether it has a consumer. */
	boolean isConnected();

	Duration sinceLastPoll();

	/** What health shows besides. */
	Map<String, Object> details();

}
