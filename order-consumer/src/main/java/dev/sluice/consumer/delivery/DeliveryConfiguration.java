package dev.sluice.consumer.delivery;

import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;

import dev.sluice.consumer.Backoff;
import dev.sluice.consumer.ConsumerMetric;
import dev.sluice.consumer.DeliveryProperties;
import dev.sluice.consumer.QueueProperties;
import dev.sluice.consumer.Time;
import dev.sluice.consumer.backend.Backend;
import dev.sluice.consumer.backend.BackendProperties;
import dev.sluice.consumer.backend.DeliveryTarget;
import dev.sluice.consumer.backend.HttpBackend;
import dev.sluice.consumer.backend.SinkBackend;
import dev.sluice.consumer.limiter.BackendHealth;
import dev.sluice.consumer.limiter.DeliveryLimiter;
import dev.sluice.consumer.offsets.LostRecords;
import dev.sluice.consumer.offsets.OrderPurge;
import dev.sluice.consumer.outcome.DeadLetters;
import dev.sluice.consumer.outcome.OutcomePublisher;
import dev.sluice.consumer.outcome.ReliablePublisher;
import dev.sluice.consumer.projection.ProjectionProperties;
import dev.sluice.threads.Supervisor;
import dev.sluice.topics.TopicWatch;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.httpcomponents.hc5.PoolingHttpClientConnectionManagerMetricsBinder;
import org.apache.kafka.clients.admin.Admin;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.KafkaAdmin;
import org.springframework.kafka.core.ProducerFactory;

/** Configures the delivery. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(name = "delivery.enabled", matchIfMissing = true)
class DeliveryConfiguration {

	/** Many threads call it, so each call asks for the {@code ThreadLocalRandom}. */
	private static final DoubleSupplier RANDOM = () -> ThreadLocalRandom.current().nextDouble();

	@Bean
	DeliveryLimiter gate(DeliveryProperties delivery, BackendProperties backend, MeterRegistry registry) {
		DeliveryLimiter limiter = new DeliveryLimiter(delivery.concurrency(),
				new BackendHealth(backend.circuit(), delivery.evidenceGap(), System::nanoTime), Time.SYSTEM);
		ConsumerMetric.DELIVERY_LIMIT.gauge(registry, limiter, DeliveryLimiter::limit);
		ConsumerMetric.DELIVERY_IN_FLIGHT.gauge(registry, limiter, DeliveryLimiter::inFlight);
		ConsumerMetric.CIRCUIT_OPEN.gauge(registry, limiter, (of) -> of.isOpen() ? 1 : 0);
		return limiter;
	}

	@Bean
	PendingRecords pending(DeliveryProperties properties, MeterRegistry registry) {
		PendingRecords pending = new PendingRecords(properties.maxPending(), properties.maxPendingSize().toBytes());
		ConsumerMetric.DELIVERY_PENDING.gauge(registry, pending, PendingRecords::records);
		ConsumerMetric.DELIVERY_PENDING_LIMIT.gauge(registry, pending, (_) -> properties.maxPending());
		return pending;
	}

	@Bean
	@ConditionalOnProperty(name = "delivery.target", havingValue = "http", matchIfMissing = true)
	HttpBackend backend(DeliveryProperties delivery, BackendProperties properties, MeterRegistry registry,
			InstantSource clock) {
		HttpBackend backend = new HttpBackend(properties, delivery.concurrency(), clock);
		new PoolingHttpClientConnectionManagerMetricsBinder(backend.connections(), "backend").bindTo(registry);
		return backend;
	}

	@Bean
	@ConditionalOnProperty(name = "delivery.target", havingValue = "grpc")
	SinkBackend sinkBackend(DeliveryTarget target, BackendProperties properties, SslBundles bundles,
			MeterRegistry registry) {
		SinkBackend backend = new SinkBackend(target.sinkChannel(bundles), properties.responseTimeout());
		ConsumerMetric.SINK_IN_FLIGHT.gauge(registry, backend, (of) -> of.stats().inFlight());
		ConsumerMetric.SINK_WINDOW.gauge(registry, backend, (of) -> of.stats().window());
		ConsumerMetric.SINK_SPOOL.gauge(registry, backend, (of) -> of.stats().spoolBytes());
		ConsumerMetric.SINK_OLDEST.gauge(registry, backend, (of) -> of.stats().oldestMillis() / 1_000.0);
		return backend;
	}

	@Bean
	ReliablePublisher publisher(ProducerFactory<byte[], byte[]> producers) {
		return new ReliablePublisher(producers::createProducer, ReliablePublisher.defaultBackoff(RANDOM), Time.SYSTEM);
	}

	@Bean
	Delivery.Context deliveryContext(DeliveryProperties properties, ReliablePublisher publisher,
			DeliveryLimiter limiter, Backend backend, JsonMapper json, MeterRegistry registry, InstantSource clock) {
		return new Delivery.Context(new RecordReader(), new PayloadHistory(DeliveryProperties.REMEMBERED_PAYLOADS),
				limiter, backend, retries(properties), new OutcomePublisher(publisher, json, registry),
				new DeadLetters(publisher, registry), new DeliveryTimers(registry),
				Thread.ofVirtual().name("delivery").factory(), Time.SYSTEM, clock);
	}

	@Bean
	DeliveryLoop deliveryLoop(DeliveryProperties properties, TopicWatch topics, LostRecords lost,
			ConsumerFactory<byte[], byte[]> consumers, Delivery.Context context, PendingRecords pending) {
		return new DeliveryLoop(properties, topics, lost, consumers, context, pending,
				Thread.ofPlatform().name("delivery-loop").factory());
	}

	@Bean
	OrderPurge orderPurge(QueueProperties queue, DeliveryProperties delivery, ProjectionProperties projection,
			DeliveryLoop loop, TopicWatch topics, KafkaAdmin admin, InstantSource clock, Supervisor supervisor) {
		return new OrderPurge(queue.retention(), List.of(delivery.groupId(), projection.groupId()), loop::assignment,
				topics, () -> Admin.create(admin.getConfigurationProperties()), clock, supervisor);
	}

	@Bean
	DeliveryHealthIndicator deliveryHealthIndicator(DeliveryLoop loop, DeliveryLimiter limiter,
			PendingRecords pending) {
		return new DeliveryHealthIndicator(loop, limiter, pending);
	}

	private static RetryPolicy retries(DeliveryProperties properties) {
		return new RetryPolicy(new Backoff(properties.initialBackoff(), properties.maxBackoff(), RANDOM),
				properties.maxAttempts(), properties.maxRetryAfter(), properties.maxAge());
	}

}
