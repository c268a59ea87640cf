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
 * How the backend behaves. {@code GET /behaviour} returns it, {@code PUT /behaviour}
 * replaces all of it.
 *
 * @param delay how long saving an order takes
 * @param errorRate share of requests answered with {@code errorStatus}, 0 to 1
 * @param errorStatus HTTP status of those requests, 400 to 599
 * @param hangRate share of requests never answered, 0 to 1
 * @param resetRate share of requests whose connection is reset, 0 to 1
 * @param maxNewConnectionsPerSecond maximum number of new TCP connections per second.
 * Further ones are closed at once. 0 = no cap
 * @param capacity how many requests are processed at once
 * @param specials customers with a special behaviour; the first match applies; copied;
 * empty if there are none
 */
public record BackendBehaviour(@NotNull @Valid Delay delay, @DecimalMin("0") @DecimalMax("1") double errorRate,
		@Min(400) @Max(599) int errorStatus, @DecimalMin("0") @DecimalMax("1") double hangRate,
		@DecimalMin("0") @DecimalMax("1") double resetRate, @PositiveOrZero int maxNewConnectionsPerSecond,
		@NotNull @Valid Capacity capacity, @Size(max = 100) List<@NotNull @Valid Special> specials) {

	/** 50 ms for each order, no fault, no limit. */
	public static final BackendBehaviour DEFAULT = new BackendBehaviour(new Delay.Fixed(50), 0, 503, 0, 0, 0,
			new Capacity.Unlimited());

	public BackendBehaviour {
		// A document without them means none.
		specials = List.copyOf(Objects.requireNonNullElse(specials, List.of()));
		require(!(errorRate + hangRate + resetRate > 1),
				"errorRate, hangRate and resetRate must not exceed 1 together");
	}

	/** Without special customers. */
	public BackendBehaviour(Delay delay, double errorRate, int errorStatus, double hangRate, double resetRate,
			int maxNewConnectionsPerSecond, Capacity capacity) {
		this(delay, errorRate, errorStatus, hangRate, resetRate, maxNewConnectionsPerSecond, capacity, List.of());
	}

	public BackendBehaviour withDelay(Delay delay) {
		return new BackendBehaviour(delay, this.errorRate, this.errorStatus, this.hangRate, this.resetRate,
				this.maxNewConnectionsPerSecond, this.capacity, this.specials);
	}

	public BackendBehaviour withCapacity(Capacity capacity) {
		return new BackendBehaviour(this.delay, this.errorRate, this.errorStatus, this.hangRate, this.resetRate,
				this.maxNewConnectionsPerSecond, capacity, this.specials);
	}

	public BackendBehaviour withSpecials(Special... specials) {
		return new BackendBehaviour(this.delay, this.errorRate, this.errorStatus, this.hangRate, this.resetRate,
				this.maxNewConnectionsPerSecond, this.capacity, List.of(specials));
	}

	private static void require(boolean holds, String rule) {
		if (!holds) {
			throw new IllegalArgumentException(rule);
		}
	}

	/**
	 * A special behaviour for the orders of some customers.
	 *
	 * @param customerPrefix prefix of their customer ids
	 * @param delayMillis how long saving one of their orders takes, in milliseconds; 0 =
	 * as for any other
	 * @param status HTTP status with which they are answered instead of being saved, 400
	 * to 599; 0 = they are saved
	 */
	public record Special(@NotEmpty String customerPrefix, @PositiveOrZero @Max(600_000) long delayMillis,
			@Max(599) int status) {

		public Special {
			require(status == 0 || status >= 400, "status must be 0, or 400 to 599");
		}

	}

	/** How long saving takes, drawn for each request. */
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
		 * @param minMillis minimum, in milliseconds
		 * @param maxMillis maximum, in milliseconds; not less than {@code minMillis}
		 */
		record Uniform(@PositiveOrZero long minMillis, @PositiveOrZero @Max(600_000) long maxMillis) implements Delay {

			public Uniform {
				require(minMillis <= maxMillis, "minMillis must not be greater than maxMillis");
			}

		}

		/**
		 * @param medianMillis half of the requests take at most this, in milliseconds
		 * @param p99Millis 99 % take at most this, in milliseconds; not less than the
		 * median
		 */
		record LogNormal(@Positive double medianMillis, @Positive @Max(600_000) double p99Millis) implements Delay {

			public LogNormal {
				require(medianMillis <= p99Millis, "medianMillis must not be greater than p99Millis");
			}

		}

	}

	/** How many requests are processed at once. The delay runs only while one is. */
	@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "model")
	@JsonSubTypes({ @JsonSubTypes.Type(value = Capacity.Unlimited.class, name = "unlimited"),
			@JsonSubTypes.Type(value = Capacity.Workers.class, name = "workers"),
			@JsonSubTypes.Type(value = Capacity.Starved.class, name = "starved"),
			@JsonSubTypes.Type(value = Capacity.Rate.class, name = "rate") })
	public sealed interface Capacity {

		/** No limit: each request has a timer and holds no thread. */
		record Unlimited() implements Capacity {
		}

		/**
		 * A fixed pool of blocked workers behind a queue.
		 *
		 * @param workers number of requests processed at once
		 * @param queue maximum number of waiting requests. Further ones get 503. 0 = no
		 * queue
		 */
		record Workers(@Min(1) @Max(100_000) int workers,
				@PositiveOrZero @Max(1_000_000) int queue) implements Capacity {
		}

		/**
		 * A pool of blocked threads that starts small and grows slowly while requests
		 * wait, like a thread pool that was sized for non-blocking code.
		 *
		 * @param initialWorkers number of workers at first
		 * @param growthPerSecond number of workers added each second while a request
		 * waits
		 * @param maxWorkers maximum number of workers
		 * @param queue maximum number of waiting requests. Further ones get 503. 0 = no
		 * queue
		 */
		record Starved(@Min(1) int initialWorkers, @Positive @Max(1_000) double growthPerSecond,
				@Min(1) @Max(100_000) int maxWorkers, @PositiveOrZero @Max(1_000_000) int queue) implements Capacity {

			public Starved {
				require(initialWorkers <= maxWorkers, "initialWorkers must not be greater than maxWorkers");
			}

		}

		/**
		 * A rate limit: a token bucket that is full at first. A request takes a token, or
		 * is answered 429 with the time until the next one as {@code Retry-After}. Any
		 * number of admitted requests is processed at once.
		 *
		 * @param perSecond tokens added each second
		 * @param burst maximum number of tokens in the bucket, and so of requests
		 * admitted at once after a pause
		 */
		record Rate(@Positive @Max(1_000_000_000) double perSecond,
				@Min(1) @Max(1_000_000) int burst) implements Capacity {
		}

	}

}
