package dev.sluice.sink.client;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;

/**
 * A client's metrics for Micrometer; {@code docs/metrics.md} lists them. It is the only
 * class of this package that needs Micrometer: the others work without it on the class
 * path. Reading a metric blocks neither senders nor the client's threads.
 * <p>
 * Close it with its client: a registry keeps the first meter with a name and tags, so the
 * meters of a closed client would hide those of the next one.
 */
public final class SinkClientMetrics implements MeterBinder, AutoCloseable {

	private final SinkClient client;

	private final Tags tags;

	private final List<Bound> meters = new CopyOnWriteArrayList<>();

	private record Bound(MeterRegistry registry, Meter meter) {
	}

	/**
	 * Creates the metrics of one client.
	 * @param client the client
	 * @param tags tags of each metric, which must be different for each client of a
	 * process
	 */
	public SinkClientMetrics(SinkClient client, Tags tags) {
		this.client = client;
		this.tags = tags;
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		for (SinkClientMetric metric : SinkClientMetric.values()) {
			this.meters.add(new Bound(registry, register(metric, registry)));
		}
	}

	private Meter register(SinkClientMetric metric, MeterRegistry registry) {
		return switch (metric.kind()) {
			case GAUGE -> Gauge.builder(metric.key(), this.client, (of) -> metric.value(of.stats()))
				.description(metric.meaning())
				.tags(this.tags)
				.register(registry);
			case COUNTER -> FunctionCounter.builder(metric.key(), this.client, (of) -> metric.value(of.stats()))
				.description(metric.meaning())
				.tags(this.tags)
				.register(registry);
		};
	}

	/** Removes the metrics from each registry that has them. */
	@Override
	public void close() {
		this.meters.forEach((bound) -> bound.registry().remove(bound.meter()));
		this.meters.clear();
	}

}
