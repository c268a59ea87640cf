package dev.sluice.sink;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.logging.Logger;

import dev.sluice.contract.Topics;
import dev.sluice.sink.request.Decompressor;
import dev.sluice.sink.store.KafkaMessageStore;
import dev.sluice.sink.store.KafkaSessions;
import dev.sluice.sink.store.MessageStore;
import dev.sluice.sink.store.OnceStore;
import dev.sluice.threads.Supervisor;
import dev.sluice.topics.TopicSpecs;
import dev.sluice.topics.TopicWatch;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallExecutorSupplier;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyServerBuilder;
import io.micrometer.core.instrument.MeterRegistry;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.TopicConfig;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.grpc.server.autoconfigure.GrpcServerExecutorProvider;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.kafka.autoconfigure.DefaultKafkaProducerFactoryCustomizer;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.kafka.core.KafkaAdmin;
import org.springframework.grpc.server.ServerBuilderCustomizer;
import org.springframework.kafka.core.KafkaTemplate;

/** Assembles the sink. */
@Configuration(proxyBeanMethods = false)
class SinkConfiguration {

	/**
	 * Kafka's default for {@code max.request.size}, unless a single message is larger.
	 */
	private static final int REQUEST_BYTES = 1024 * 1024;

	/** How often calls are checked for taking too long. */
	private static final Duration CHECK_PERIOD = Duration.ofSeconds(1);

	/** The shortest keep-alive interval that gRPC's clients allow. */
	private static final Duration MIN_KEEP_ALIVE = Duration.ofSeconds(10);

	/** Where gRPC logs exceptions of calls. A field, so that its filter is kept. */
	private static final Logger callLog = Logger.getLogger("io.grpc.internal.SerializingExecutor");

	@Bean
	DataSinkService dataSinkService(OnceStore store, SinkProperties properties, MeterRegistry registry,
			ScheduledExecutorService ackTimer, ExecutorService callExecutor, LongSupplier nanoTime,
			Supervisor supervisor) {
		DataSinkService service = new DataSinkService(store,
				Decompressor.of(properties.limits().maxMessageBytes(), properties.stream().dictionary()), properties,
				new SinkMetrics(registry), ackTimer, callExecutor, nanoTime);
		long period = Math.min(CHECK_PERIOD.toNanos(),
				Math.min(properties.stream().stallTimeout().toNanos(), properties.store().timeout().toNanos()) / 4);
		var _ = ackTimer.scheduleWithFixedDelay(supervisor.guard("limits", service::check), period, period,
				TimeUnit.NANOSECONDS);
		return service;
	}

	@Bean
	Supervisor threads(MeterRegistry registry) {
		return new Supervisor(
				(thread) -> registry.counter(SinkMetric.THREAD_FAILURES.key(), "thread", thread).increment());
	}

	/** The clock of the limits on calls. */
	@Bean
	LongSupplier nanoTime() {
		return System::nanoTime;
	}

	@Bean
	ServerBuilderCustomizer<NettyServerBuilder> server(DataSinkService service, SinkProperties properties) {
		// Of a request that cannot be parsed: clients could fill the disk with traces.
		callLog.setFilter((entry) -> !(entry.getThrown() instanceof StatusRuntimeException));
		return (builder) -> builder.addStreamTracerFactory(service.inboundLimits())
			.maxConcurrentCallsPerConnection(properties.limits().maxCallsPerConnection())
			// Without it each connection may grow its window to 8 MB, which
			// sink.limits.memory does not limit.
			.flowControlWindow(Math.toIntExact(properties.limits().flowWindow().toBytes()))
			// Without it a client that pings more often than every 5 minutes is
			// disconnected.
			.permitKeepAliveTime(MIN_KEEP_ALIVE.toSeconds(), TimeUnit.SECONDS)
			.callExecutor(new StreamsOnTheirConnection());
	}

	/**
	 * A stream's messages are received on the connection's own thread: handing each to
	 * another thread would cost more than receiving it.
	 */
	private static final class StreamsOnTheirConnection implements ServerCallExecutorSupplier {

		@Override
		public <I, O> @Nullable Executor getExecutor(ServerCall<I, O> call, Metadata headers) {
			return call.getMethodDescriptor().getType().clientSendsOneMessage() ? null : Runnable::run;
		}

	}

	@Bean
	OnceStore onceStore(MessageStore store, SinkProperties properties) {
		return new OnceStore(store, properties.store().repeatHorizon());
	}

	@Bean
	HealthIndicator storeHealthIndicator(MessageStore store) {
		return () -> (store.ready() ? Health.up() : Health.outOfService()).build();
	}

	@Bean
	MessageStore messageStore(KafkaTemplate<byte[], byte[]> kafka, TopicWatch topic, KafkaSessions sessions) {
		return new KafkaMessageStore(kafka, topic, sessions);
	}

	@Bean
	KafkaSessions kafkaSessions(KafkaTemplate<byte[], byte[]> kafka, SinkProperties properties) {
		return new KafkaSessions(kafka.getProducerFactory().getConfigurationProperties(),
				properties.sessions().maxWriters(), properties.sessions().age());
	}

	/** Start-up does not wait for the topic. */
	@Bean(initMethod = "start", destroyMethod = "close")
	TopicWatch topicWatch(SinkProperties properties, KafkaAdmin admin, KafkaSessions sessions) {
		return new TopicWatch(
				List.of(TopicSpecs.of(Topics.SINK, properties.topic().partitions(),
						properties.topic().replicationFactor(), properties.topic().minInsyncReplicas(),
						Map.of(TopicConfig.MAX_MESSAGE_BYTES_CONFIG,
								Integer.toString(properties.limits().maxRequestBytes()),
								TopicConfig.RETENTION_MS_CONFIG,
								Long.toString(properties.topic().retention().isZero() ? -1
										: properties.topic().retention().toMillis()),
								TopicConfig.RETENTION_BYTES_CONFIG,
								Long.toString(properties.topic().retentionBytesOfPartition())))),
				admin.getConfigurationProperties()) {

			@Override
			protected void prepare() throws InterruptedException {
				sessions.forget();
			}

		};
	}

	/** Never down: the store's health says whether messages are accepted. */
	@Bean
	HealthIndicator topicsHealthIndicator(TopicWatch topic) {
		return () -> (topic.ready() ? Health.up() : Health.unknown()).withDetails(topic.details()).build();
	}

	@Bean
	DefaultKafkaProducerFactoryCustomizer largestRecord(SinkProperties properties) {
		return (factory) -> factory.updateConfigs(Map.of(ProducerConfig.MAX_REQUEST_SIZE_CONFIG,
				Math.max(properties.limits().maxRequestBytes(), REQUEST_BYTES), ProducerConfig.BUFFER_MEMORY_CONFIG,
				properties.limits().memory().toBytes()));
	}

	@Bean(destroyMethod = "shutdownNow")
	ScheduledExecutorService ackTimer() {
		return Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("acks").factory());
	}

	/**
	 * A thread that stores may wait for room in the producer's buffer: a virtual thread
	 * is cheap to block.
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
	 * Starts to drain before the server waits for its calls to end
	 * ({@code spring.grpc.server.shutdown.grace-period}).
	 */
	@Bean
	ApplicationListener<ContextClosedEvent> drainAtStop(DataSinkService service) {
		return (_) -> service.drain();
	}

}
