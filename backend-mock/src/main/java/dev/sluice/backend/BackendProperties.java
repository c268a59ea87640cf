package dev.sluice.backend;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * What is set at start. How the backend behaves is set at run time.
 *
 * @param maxOrders orders kept at most, 43 to 64 bytes each; beyond, a new order is
 * refused with 507 until {@code DELETE /audit}. Default 2,000,000
 * @param maxInFlight requests in flight at most, whatever the capacity model; beyond,
 * 503. Default 100,000
 * @param seed of the random draws; 0, the default: another one at each start
 */
@Validated
@ConfigurationProperties("backend")
record BackendProperties(@DefaultValue("2000000") @Min(1) @Max(100_000_000) int maxOrders,
		@DefaultValue("100000") @Min(1) @Max(1_000_000) int maxInFlight, @DefaultValue("0") long seed) {
}
