package dev.sluice.gateway.core.metrics;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import dev.sluice.gateway.core.order.Mode;
import dev.sluice.gateway.core.problem.ProblemException;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Counts and times orders: started = answered + in flight, per mode. Requests refused
 * before the mode is known are not counted here: {@link GatewayMetric#REQUESTS_REFUSED}
 * counts those over the limit of requests, and {@code http.server.requests} those with a
 * wrong path, method or media type.
 */
@Component
public final class OrderMetrics {

	private final MeterRegistry registry;

	private final Map<Mode, PerMode> modes = new EnumMap<>(Mode.class);

	public OrderMetrics(MeterRegistry registry) {
		this.registry = registry;
		for (Mode mode : Mode.values()) {
			this.modes.put(mode, PerMode.register(registry, mode));
		}
	}

	/**
	 * Starts timing an order.
	 * @param mode the mode it takes
	 * @return its timing; call {@link Timing#end}, of which only the first call counts
	 */
	public Timing begin(Mode mode) {
		PerMode meters = Objects.requireNonNull(this.modes.get(mode));
		meters.inFlight().incrementAndGet();
		long startNanos = System.nanoTime();
		// The client may disconnect at the moment of the answer.
		AtomicBoolean ended = new AtomicBoolean();
		return (failure) -> {
			if (ended.compareAndSet(false, true)) {
				meters.inFlight().decrementAndGet();
				meters.duration().record(System.nanoTime() - startNanos, TimeUnit.NANOSECONDS);
				GatewayMetric.ORDERS.counter(this.registry, "mode", mode.tag(), "outcome", outcome(mode, failure))
					.increment();
			}
		};
	}

	private static String outcome(Mode mode, @Nullable Throwable failure) {
		return switch (failure) {
			case null -> switch (mode) {
				case SYNC -> "saved";
				case QUEUED -> "accepted";
			};
			case ProblemException problem -> problem.type().name().toLowerCase(Locale.ROOT).replace('_', '-');
			case CancellationException _ -> "abandoned";
			default -> "internal";
		};
	}

	/** One order, from its arrival to its answer. */
	@FunctionalInterface
	public interface Timing {

		/**
		 * The answer is known.
		 * @param failure why the order was not accepted, a {@link CancellationException}
		 * if its client has disconnected; null if it was accepted
		 */
		void end(@Nullable Throwable failure);

	}

	private record PerMode(AtomicInteger inFlight, Timer duration) {

		static PerMode register(MeterRegistry registry, Mode mode) {
			AtomicInteger inFlight = new AtomicInteger();
			GatewayMetric.ORDERS_IN_FLIGHT.gauge(registry, inFlight, AtomicInteger::get, "mode", mode.tag());
			return new PerMode(inFlight, GatewayMetric.ORDER_DURATION.timer(registry, "mode", mode.tag()));
		}

	}

}
