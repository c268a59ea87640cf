package dev.sluice.contract;

import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;

/**
 * One line of an {@link Order}.
 *
 * @param sku what is ordered: 1 to 64 characters of {@code A-Z a-z 0-9 . _ -}
 * @param quantity how many, 1 to 10,000
 * @param unitPrice the price of one
 */
public record OrderItem(
		@NotNull @Pattern(regexp = Order.IDENTIFIER,
				message = "must be 1 to 64 characters of A-Z a-z 0-9 . _ -") String sku,
		@Min(1) @Max(10_000) int quantity, @NotNull @Valid Money unitPrice) {
}
