package dev.sluice.gateway;

import java.time.Duration;

import jakarta.validation.constraints.PositiveOrZero;
import org.hibernate.validator.constraints.time.DurationMin;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * How an order's status is looked up.
 *
 * @param timeout how long PostgreSQL may take, and after it the backend; default 1 s each
 * @param recentOrders how many of the orders taken last are remembered; 0 = none; default
 * 100,000
 * @param recentFor how long they are remembered; should cover the projection's lag;
 * default 10 min
 * @param keyLookupTimeout how long a queued order with an idempotency key waits for
 * PostgreSQL to say whether the key was used before; then it is accepted; 0 = never ask;
 * default 250 ms
 */
@ConfigurationProperties("status")
@Validated
record StatusProperties(@DefaultValue("1s") @DurationMin(millis = 1) Duration timeout,
		@DefaultValue("100000") @PositiveOrZero long recentOrders,
		@DefaultValue("10m") @DurationMin(seconds = 1) Duration recentFor,
		@DefaultValue("250ms") @DurationMin Duration keyLookupTimeout) {
}
