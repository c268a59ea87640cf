package dev.sluice.backend;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * The settings at start. {@code PUT /behaviour} sets the rest at run time.
 *
 * @param store where orders are saved: {@code memory}, or {@code postgres}, which keeps
 * them after the backend stops; default {@code memory}
 * @param maxOrders maximum number of orders in memory, some 110 bytes each. Further
 * orders get 507 until {@code DELETE /audit}; default 2,000,000
 * @param maxInFlight maximum number of requests in flight, for any capacity model.
 * Further requests get 503; default 100,000
 */
@Validated
@ConfigurationProperties("backend")
public record BackendProperties(@DefaultValue("memory") Store store,
		@DefaultValue("2000000") @Min(1) @Max(100_000_000) int maxOrders,
		@DefaultValue("100000") @Min(1) @Max(1_000_000) int maxInFlight) {

	/** Where orders are saved. */
	public enum Store {

		MEMORY, POSTGRES

	}

}
