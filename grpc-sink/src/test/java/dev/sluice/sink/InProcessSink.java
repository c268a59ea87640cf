package dev.sluice.sink;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.LongSupplier;

import dev.sluice.sink.request.Decompressor;
import dev.sluice.sink.store.MessageStore;
import dev.sluice.sink.store.OnceStore;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.ServerInterceptor;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

/** The service over an in-process transport, on the threads of its callers. */
final class InProcessSink implements AutoCloseable {

	final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	final DataSinkService service;

	final ManagedChannel channel;

	private final ScheduledExecutorService timer;

	private final String name = InProcessServerBuilder.generateName();

	private final Server server;

	InProcessSink(MessageStore store, Decompressor decompressor, Executor executor, SinkProperties properties)
			throws IOException {
		this(store, decompressor, executor, properties, Executors.newSingleThreadScheduledExecutor(), System::nanoTime);
	}

	/**
	 * @param timer shut down with the sink
	 */
	InProcessSink(MessageStore store, Decompressor decompressor, Executor executor, SinkProperties properties,
			ScheduledExecutorService timer, LongSupplier nanoTime, ServerInterceptor... interceptors)
			throws IOException {
		this.timer = timer;
		this.service = new DataSinkService(new OnceStore(store, properties.store().repeatHorizon()), decompressor,
				properties, new SinkMetrics(this.registry), timer, executor, nanoTime);
		InProcessServerBuilder builder = InProcessServerBuilder.forName(this.name)
			.directExecutor()
			.addService(this.service)
			.addStreamTracerFactory(this.service.inboundLimits());
		List.of(interceptors).forEach(builder::intercept);
		this.server = builder.build().start();
		this.channel = builder().directExecutor().build();
	}

	/** Builds another channel to this sink. */
	InProcessChannelBuilder builder() {
		return InProcessChannelBuilder.forName(this.name);
	}

	double counter(SinkMetric metric) {
		return this.registry.get(metric.key()).counter().count();
	}

	double gauge(SinkMetric metric) {
		return this.registry.get(metric.key()).gauge().value();
	}

	@Override
	public void close() {
		this.channel.shutdownNow();
		this.server.shutdownNow();
		this.timer.shutdownNow();
	}

}
