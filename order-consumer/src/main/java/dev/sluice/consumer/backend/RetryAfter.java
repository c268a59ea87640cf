package dev.sluice.consumer.backend;

import java.time.Duration;
import java.time.Instant;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.apache.hc.client5.http.utils.DateUtils;
import org.jspecify.annotations.Nullable;

/** Reads the header {@code Retry-After} (RFC 9110, section 10.2.3). */
final class RetryAfter {

	private static final Pattern SECONDS = Pattern.compile("0*([0-9]{1,18})");

	private RetryAfter() {
	}

	/**
	 * Reads seconds or a date.
	 * @param value null if the header is missing
	 * @param now what a date is compared with
	 * @return how long to wait, zero for a date in the past; null if the header is
	 * missing or cannot be read
	 */
	static @Nullable Duration parse(@Nullable String value, Instant now) {
		if (value == null) {
			return null;
		}
		String text = value.strip();
		Matcher seconds = SECONDS.matcher(text);
		if (seconds.matches()) {
			return Duration.ofSeconds(Long.parseLong(seconds.group(1)));
		}
		Instant date = DateUtils.parseStandardDate(text);
		if (date == null) {
			return null;
		}
		return date.isAfter(now) ? Duration.between(now, date) : Duration.ZERO;
	}

}
