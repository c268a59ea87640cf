package dev.sluice.gateway.core.backend;

import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/** Reads the backend's {@code Retry-After} (RFC 9110): seconds, or a date. */
final class RetryAfter {

	private static final Pattern SECONDS = Pattern.compile("0*([0-9]{1,9})[0-9]*");

	private RetryAfter() {
	}

	/**
	 * Reads the header.
	 * @param header its value, or null if it is missing
	 * @param now the time to which a date is compared
	 * @return between 1 and 60 s; null if it is missing or cannot be read
	 */
	static @Nullable Duration parse(@Nullable String header, Instant now) {
		if (header == null) {
			return null;
		}
		String value = header.strip();
		Matcher digits = SECONDS.matcher(value);
		try {
			// Digits beyond nine are left out: the number is too large either way.
			long seconds = digits.matches() ? Long.parseLong(digits.group(1))
					: now.until(DateTimeFormatter.RFC_1123_DATE_TIME.parse(value, Instant::from), ChronoUnit.SECONDS);
			return Duration.ofSeconds(Math.clamp(seconds, 1, 60));
		}
		catch (DateTimeException _) {
			return null;
		}
	}

}
