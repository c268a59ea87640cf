package dev.sluice.sink;

import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

import io.micrometer.core.instrument.MeterRegistry;
import org.apache.kafka.clients.producer.ProducerConfig;

import org.springframework.boot.grpc.server.autoconfigure.GrpcServerExecutorProvider;
import org.springframework.boot.kafka.autoconfigure.DefaultKafkaProducerFactoryCustomizer;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.kafka.core.KafkaAdmin;
import org.springframework.kafka.core.KafkaTemplate;

/** Puts the sink together. */
@Configuration(proxyBeanMethods = false)
class SinkConfiguration {

	@Bean
	DataSinkService dataSinkService(MessageStore store, SinkProperties properties, MeterRegistry registry,
			ScheduledExecutorService ackTimer) {
		return new DataSinkService(store, properties, new SinkMetrics(registry), ackTimer);
	}

	@Bean
	MessageStore messageStore(KafkaTemplate<byte[], byte[]> kafka, SinkTopic topic) {
		return new KafkaMessageStore(kafka, topic);
	}

	@Bean
	SinkTopic sinkTopic(SinkProperties properties, KafkaAdmin admin) {
		return new SinkTopic(properties, admin);
	}

	@Bean(destroyMethod = "shutdownNow")
	ScheduledExecutorService ackTimer() {
		return Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("acks").factory());
	}

	@Bean
	DefaultKafkaProducerFactoryCustomizer largestRecord(SinkProperties properties) {
		return (factory) -> factory.updateConfigs(
				Map.of(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, SinkTopic.recordBytes(properties.maxMessageBytes())));
	}

	/**
	 * A call may wait for room in the producer's buffer: a virtual thread is cheap to
	 * hold.
	 */
	@Bean(destroyMethod = "close")
	ExecutorService callExecutor() {
		return Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("call-", 0).factory());
	}

	@Bean
	GrpcServerExecutorProvider callExecutorProvider(ExecutorService callExecutor) {
		return () -> callExecutor;
	}

	/**
	 * Begins to drain before the server waits for its calls to end
	 * ({@code spring.grpc.server.shutdown.grace-period}).
	 */
	@Bean
	ApplicationListener<ContextClosedEvent> drainAtStop(DataSinkService service) {
		return (_) -> service.drain();
	}

}
