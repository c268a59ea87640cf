package dev.sluice.gateway.metrics;

import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import dev.sluice.gateway.order.Way;
import dev.sluice.gateway.problem.ProblemException;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Counts and times orders: begun = answered + in flight, per way. A request that the
 * framework refuses before the way is known (wrong path, method or media type) is not
 * counted here. For any number of threads.
 */
@Component
public final class OrderMetrics {

	private final MeterRegistry registry;

	private final PerWay sync;

	private final PerWay queued;

	private final Map<Outcome, Counter> outcomes = new ConcurrentHashMap<>();

	public OrderMetrics(MeterRegistry registry) {
		this.registry = registry;
		this.sync = PerWay.register(registry, Way.SYNC);
		this.queued = PerWay.register(registry, Way.QUEUED);
	}

	/**
	 * An order has come.
	 * @param way the way it takes
	 * @return its timing; {@link Timing#end} must follow, and counts once
	 */
	public Timing begin(Way way) {
		of(way).inFlight().incrementAndGet();
		return new Timing(way, System.nanoTime());
	}

	private PerWay of(Way way) {
		return switch (way) {
			case SYNC -> this.sync;
			case QUEUED -> this.queued;
		};
	}

	private Counter counter(Outcome outcome) {
		return GatewayMetric.ORDERS.counter(this.registry, "way", outcome.way().tag(), "outcome", outcome.name());
	}

	/** One order, from its coming to its answer. */
	public final class Timing {

		private final Way way;

		private final long startNanos;

		/** A client may go in the moment when the answer comes. */
		private final AtomicBoolean ended = new AtomicBoolean();

		private Timing(Way way, long startNanos) {
			this.way = way;
			this.startNanos = startNanos;
		}

		/**
		 * The answer is known.
		 * @param failure why the order was not taken, {@link CancellationException} if
		 * its client has gone; null if it was taken
		 */
		public void end(@Nullable Throwable failure) {
			if (!this.ended.compareAndSet(false, true)) {
				return;
			}
			PerWay meters = of(this.way);
			meters.inFlight().decrementAndGet();
			meters.duration().record(System.nanoTime() - this.startNanos, TimeUnit.NANOSECONDS);
			OrderMetrics.this.outcomes.computeIfAbsent(Outcome.of(this.way, failure), OrderMetrics.this::counter)
				.increment();
		}

	}

	private record PerWay(AtomicInteger inFlight, Timer duration) {

		static PerWay register(MeterRegistry registry, Way way) {
			AtomicInteger inFlight = new AtomicInteger();
			GatewayMetric.ORDERS_IN_FLIGHT.gauge(registry, inFlight, AtomicInteger::get, "way", way.tag());
			return new PerWay(inFlight, GatewayMetric.ORDER_DURATION.timer(registry, "way", way.tag()));
		}

	}

	private record Outcome(Way way, String name) {

		static Outcome of(Way way, @Nullable Throwable failure) {
			return new Outcome(way, switch (failure) {
				case null -> switch (way) {
					case SYNC -> "saved";
					case QUEUED -> "accepted";
				};
				case ProblemException problem -> problem.type().name().toLowerCase(Locale.ROOT).replace('_', '-');
				case CancellationException _ -> "abandoned";
				default -> "internal";
			});
		}

	}

}
