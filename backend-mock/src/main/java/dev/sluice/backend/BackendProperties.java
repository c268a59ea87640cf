package dev.sluice.backend;

import java.time.Duration;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * What is set at start. How the backend behaves is set at run time.
 *
 * @param store where saved orders are: {@code memory}, the default, or {@code postgres},
 * which keeps them when the backend ends
 * @param storePoolSize connections to PostgreSQL, and so orders that are being saved at
 * once; the others wait. Default 10
 * @param storeTimeout how long an order waits for a connection, and then the connection
 * for PostgreSQL; beyond, 503. Default 2 s
 * @param maxOrders orders kept in memory at most, 43 to 64 bytes each; beyond, a new
 * order is refused with 507 until {@code DELETE /audit}. Default 2,000,000
 * @param maxInFlight requests in flight at most, whatever the capacity model; beyond,
 * 503. Default 100,000
 * @param seed of the random faults and delays; 0, the default: another one at each start
 */
@Validated
@ConfigurationProperties("backend")
record BackendProperties(@DefaultValue("memory") Store store, @DefaultValue("10") @Min(1) @Max(1_000) int storePoolSize,
		@DefaultValue("2s") @DurationMin(seconds = 1) @DurationMax(minutes = 1) Duration storeTimeout,
		@DefaultValue("2000000") @Min(1) @Max(100_000_000) int maxOrders,
		@DefaultValue("100000") @Min(1) @Max(1_000_000) int maxInFlight, @DefaultValue("0") long seed) {

	/** Where saved orders are. */
	enum Store {

		MEMORY, POSTGRES

	}

}
