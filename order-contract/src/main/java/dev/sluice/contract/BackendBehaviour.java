package dev.sluice.contract;

import java.util.List;
import java.util.Objects;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import jakarta.validation.Valid;
import jakarta.validation.constraints.DecimalMax;
import jakarta.validation.constraints.DecimalMin;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotEmpty;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Positive;
import jakarta.validation.constraints.PositiveOrZero;
import jakarta.validation.constraints.Size;

/**
 * How the backend behaves, read by {@code GET /behaviour} and replaced whole by
 * {@code PUT /behaviour}.
 *
 * @param delay how long saving an order takes
 * @param cpuMicros CPU burnt per request, in microseconds; 0 = none
 * @param errorRate share of requests answered with {@code errorStatus}, 0 to 1
 * @param errorStatus HTTP status of those, 400 to 599
 * @param hangRate share of requests never answered, 0 to 1
 * @param resetRate share of requests whose connection is reset, 0 to 1
 * @param maxNewConnectionsPerSecond TCP connections beyond this are closed at once; 0 =
 * no cap
 * @param capacity how many requests are processed at once
 * @param specials customers whose orders fare otherwise, the first that fits; copied, and
 * empty if there are none
 */
public record BackendBehaviour(@NotNull @Valid Delay delay, @PositiveOrZero long cpuMicros,
		@DecimalMin("0") @DecimalMax("1") double errorRate, @Min(400) @Max(599) int errorStatus,
		@DecimalMin("0") @DecimalMax("1") double hangRate, @DecimalMin("0") @DecimalMax("1") double resetRate,
		@PositiveOrZero int maxNewConnectionsPerSecond, @NotNull @Valid Capacity capacity,
		@Size(max = 100) List<@NotNull @Valid Special> specials) {

	/** 50 ms for each order, no fault, no limit. */
	public static final BackendBehaviour DEFAULT = new BackendBehaviour(new Delay.Fixed(50), 0, 0, 503, 0, 0, 0,
			new Capacity.Unlimited());

	public BackendBehaviour {
		// Who leaves them out means none.
		specials = List.copyOf(Objects.requireNonNullElse(specials, List.of()));
	}

	/** Without special customers. */
	public BackendBehaviour(Delay delay, long cpuMicros, double errorRate, int errorStatus, double hangRate,
			double resetRate, int maxNewConnectionsPerSecond, Capacity capacity) {
		this(delay, cpuMicros, errorRate, errorStatus, hangRate, resetRate, maxNewConnectionsPerSecond, capacity,
				List.of());
	}

	public BackendBehaviour withDelay(Delay delay) {
		return new BackendBehaviour(delay, this.cpuMicros, this.errorRate, this.errorStatus, this.hangRate,
				this.resetRate, this.maxNewConnectionsPerSecond, this.capacity, this.specials);
	}

	public BackendBehaviour withErrors(double rate, int status) {
		return new BackendBehaviour(this.delay, this.cpuMicros, rate, status, this.hangRate, this.resetRate,
				this.maxNewConnectionsPerSecond, this.capacity);
	}

	public BackendBehaviour withCapacity(Capacity capacity) {
		return new BackendBehaviour(this.delay, this.cpuMicros, this.errorRate, this.errorStatus, this.hangRate,
				this.resetRate, this.maxNewConnectionsPerSecond, capacity, this.specials);
	}

	public BackendBehaviour withSpecials(Special... specials) {
		return new BackendBehaviour(this.delay, this.cpuMicros, this.errorRate, this.errorStatus, this.hangRate,
				this.resetRate, this.maxNewConnectionsPerSecond, this.capacity, List.of(specials));
	}

	/**
	 * What becomes of some customers' orders.
	 *
	 * @param customerPrefix what their ids begin with
	 * @param delayMillis how long saving theirs takes, in milliseconds; 0 = as long as
	 * any
	 * @param status HTTP status they are answered with instead of being saved, 400 to
	 * 599; 0 = they are saved
	 */
	public record Special(@NotEmpty String customerPrefix, @PositiveOrZero @Max(600_000) long delayMillis,
			@Max(599) int status) {
	}

	/** How long saving takes, drawn anew for each request. */
	@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
	@JsonSubTypes({ @JsonSubTypes.Type(value = Delay.Fixed.class, name = "fixed"),
			@JsonSubTypes.Type(value = Delay.Uniform.class, name = "uniform"),
			@JsonSubTypes.Type(value = Delay.LogNormal.class, name = "log-normal") })
	public sealed interface Delay {

		/**
		 * @param millis milliseconds; 0 = no delay
		 */
		record Fixed(@PositiveOrZero @Max(600_000) long millis) implements Delay {
		}

		/**
		 * @param minMillis the least, in milliseconds
		 * @param maxMillis the greatest, in milliseconds; not less than {@code minMillis}
		 */
		record Uniform(@PositiveOrZero long minMillis, @PositiveOrZero @Max(600_000) long maxMillis) implements Delay {
		}

		/**
		 * @param medianMillis half of the requests take at most this, in milliseconds
		 * @param p99Millis 99 % take at most this, in milliseconds; not less than the
		 * median
		 */
		record LogNormal(@Positive double medianMillis, @Positive double p99Millis) implements Delay {
		}

	}

	/** How many requests are processed at once. The delay runs only while one is. */
	@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "model")
	@JsonSubTypes({ @JsonSubTypes.Type(value = Capacity.Unlimited.class, name = "unlimited"),
			@JsonSubTypes.Type(value = Capacity.Workers.class, name = "workers"),
			@JsonSubTypes.Type(value = Capacity.Starved.class, name = "starved"),
			@JsonSubTypes.Type(value = Capacity.Contended.class, name = "contended"),
			@JsonSubTypes.Type(value = Capacity.Rate.class, name = "rate") })
	public sealed interface Capacity {

		/** A timer a request, no thread held. */
		record Unlimited() implements Capacity {
		}

		/**
		 * A fixed pool of blocked workers before a queue.
		 *
		 * @param workers requests processed at once
		 * @param queue requests waiting at most; beyond: 503; 0 = none waits
		 */
		record Workers(@Min(1) @Max(100_000) int workers, @PositiveOrZero int queue) implements Capacity {
		}

		/**
		 * A pool of blocked threads that starts small and grows slowly while requests
		 * wait, as a thread pool does that was sized for code that does not block.
		 *
		 * @param initialWorkers workers at first
		 * @param growthPerSecond workers added each second while a request waits
		 * @param maxWorkers workers at most
		 * @param queue requests waiting at most; beyond: 503; 0 = none waits
		 */
		record Starved(@Min(1) int initialWorkers, @Positive double growthPerSecond,
				@Min(1) @Max(100_000) int maxWorkers, @PositiveOrZero int queue) implements Capacity {
		}

		/**
		 * Gunther's Universal Scalability Law: with n requests in flight each takes
		 * {@code delay * (1 + contention * (n - 1) + coherency * n * (n - 1))}.
		 *
		 * @param contention the serial share of the work (alpha), 0 to 1
		 * @param coherency the cost of keeping n in agreement (beta), 0 to 1
		 */
		record Contended(@DecimalMin("0") @DecimalMax("1") double contention,
				@DecimalMin("0") @DecimalMax("1") double coherency) implements Capacity {
		}

		/**
		 * A rate limit: a token bucket that is full at first. A request takes a token, or
		 * is answered 429 with the {@code Retry-After} after which there is one. Any
		 * number of admitted requests is processed at once.
		 *
		 * @param perSecond tokens added each second
		 * @param burst tokens that the bucket holds at most: requests admitted at once
		 * after a pause
		 */
		record Rate(@Positive double perSecond, @Min(1) @Max(1_000_000) int burst) implements Capacity {
		}

	}

}
