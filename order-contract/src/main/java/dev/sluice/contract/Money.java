package dev.sluice.contract;

import java.util.Currency;

import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;

/**
 * An amount of money. The amount is a string so that no JSON reader on the way turns it
 * into a binary fraction.
 *
 * @param amount a decimal without sign or exponent: at most 12 digits, then at most 4
 * decimal places
 * @param currency an ISO 4217 code
 */
public record Money(
		@NotNull @Pattern(regexp = "(0|[1-9][0-9]{0,11})(\\.[0-9]{1,4})?",
				message = "must be a decimal of at most 12 digits and 4 decimal places") String amount,
		@NotNull Currency currency) {
}
