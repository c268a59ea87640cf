package dev.sluice.gateway.core.backend;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;

import org.jspecify.annotations.Nullable;

/** Reads the backend's {@code Retry-After} (RFC 9110): seconds, or a date. */
final class RetryAfter {

	private static final Duration MIN = Duration.ofSeconds(1);

	/** A longer pause is cut to this. */
	private static final Duration MAX = Duration.ofSeconds(60);

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
		if (!value.isEmpty() && value.chars().allMatch((c) -> c >= '0' && c <= '9')) {
			String digits = value.replaceFirst("^0+(?=.)", "");
			// A number with more digits is over the limit.
			return within((digits.length() > 9) ? MAX : Duration.ofSeconds(Long.parseLong(digits)));
		}
		try {
			return within(Duration.between(now, DateTimeFormatter.RFC_1123_DATE_TIME.parse(value, Instant::from)));
		}
		catch (DateTimeException ex) {
			return null;
		}
	}

	private static Duration within(Duration asked) {
		if (asked.compareTo(MIN) < 0) {
			return MIN;
		}
		return (asked.compareTo(MAX) > 0) ? MAX : asked;
	}

}
