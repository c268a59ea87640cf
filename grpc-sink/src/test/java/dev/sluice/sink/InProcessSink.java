package dev.sluice.sink;

import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

import dev.sluice.sink.request.Decompressor;
import dev.sluice.sink.store.MessageStore;
import dev.sluice.sink.store.OnceStore;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

/** The service over an in-process transport, on the threads of its callers. */
final class InProcessSink implements AutoCloseable {

	final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	final ManagedChannel channel;

	private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

	private final String name = InProcessServerBuilder.generateName();

	private final Server server;

	InProcessSink(MessageStore store, Decompressor decompressor, Executor executor, SinkProperties properties)
			throws IOException {
		DataSinkService service = new DataSinkService(new OnceStore(store, properties.store().repeatHorizon()),
				decompressor, properties, new SinkMetrics(this.registry), this.timer, executor, System::nanoTime);
		this.server = InProcessServerBuilder.forName(this.name)
			.directExecutor()
			.addService(service)
			.addStreamTracerFactory(service.inboundLimits())
			.build()
			.start();
		this.channel = builder().directExecutor().build();
	}

	/** Builds another channel to this sink. */
	InProcessChannelBuilder builder() {
		return InProcessChannelBuilder.forName(this.name);
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
