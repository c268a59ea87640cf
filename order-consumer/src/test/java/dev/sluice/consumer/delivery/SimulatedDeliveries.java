package dev.sluice.consumer.delivery;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;

import dev.sluice.consumer.TestProducer;
import dev.sluice.consumer.Time;
import dev.sluice.consumer.backend.Backend;
import dev.sluice.consumer.backend.QueuedOrder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Deliveries of a consumer, one after another on the calling thread. An order whose first
 * attempt fails is too old for a second one.
 */
public final class SimulatedDeliveries {

	private static final SimpleMeterRegistry METERS = new SimpleMeterRegistry();

	private PayloadHistory payloads = new PayloadHistory(10);

	/** Forgets the finished orders. */
	public void restart() {
		this.payloads = new PayloadHistory(10);
	}

	/** Whether a finished order with this id had another payload. */
	public boolean conflictsWith(QueuedOrder order) {
		return this.payloads.conflictsWith(order);
	}

	/**
	 * Delivers a record.
	 * @return what was published for it: dead letters and outcomes
	 */
	public List<ProducerRecord<byte[], byte[]>> deliver(ConsumerRecord<byte[], byte[]> record, Backend backend,
			Instant now) {
		TestProducer producer = new TestProducer();
		Delivery.Context context = DeliveryTests.context(backend, DeliveryTests.limiter(1),
				new RetryPolicy(DeliveryTests.noWait(), 3, Duration.ZERO, Duration.ofNanos(1)), this.payloads, producer,
				METERS, Thread.ofVirtual().factory(), Time.SYSTEM, InstantSource.fixed(now));
		new Delivery(record, DeliveryTests.noTicket(), context, (_, bug) -> {
			if (bug != null) {
				throw new AssertionError(bug);
			}
		}).run();
		return producer.history();
	}

}
