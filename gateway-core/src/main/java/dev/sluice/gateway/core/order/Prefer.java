package dev.sluice.gateway.core.order;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.sluice.contract.HttpNames;

/**
 * A client's preferences (RFC 7240): {@code respond-async} and {@code wait}. Other
 * preferences, parameters and malformed values are ignored, as the RFC asks.
 *
 * @param respondAsync whether the client prefers the queued mode
 * @param longestWait maximum time that the client waits for a queued order to be saved;
 * zero if it states none
 */
public record Prefer(boolean respondAsync, Duration longestWait) {

	private static final Pattern SECONDS = Pattern.compile("0*([0-9]+)");

	/** A number with more digits exceeds any time that can be waited. */
	private static final int MAX_DIGITS = 9;

	/**
	 * Reads the {@code Prefer} header.
	 * @param lines its field lines, in order; empty if there is none
	 * @return the preferences
	 */
	public static Prefer parse(List<String> lines) {
		Map<String, String> values = new HashMap<>();
		for (String line : lines) {
			for (String preference : split(line, ',')) {
				List<String> nameAndValue = split(split(preference, ';').getFirst(), '=');
				String value = (nameAndValue.size() > 1) ? unquoted(nameAndValue.get(1).strip()) : "";
				// RFC 7240: if a preference occurs twice, the first counts.
				values.putIfAbsent(nameAndValue.getFirst().strip().toLowerCase(Locale.ROOT), value);
			}
		}
		String wait = values.getOrDefault(HttpNames.WAIT, "");
		// With a value it is another preference: in the RFC respond-async has none.
		return new Prefer("".equals(values.get(HttpNames.RESPOND_ASYNC)), seconds(wait));
	}

	private static Duration seconds(String wait) {
		Matcher digits = SECONDS.matcher(wait);
		if (!digits.matches()) {
			return Duration.ZERO;
		}
		String number = digits.group(1);
		return Duration.ofSeconds((number.length() > MAX_DIGITS) ? Integer.MAX_VALUE : Long.parseLong(number));
	}

	public Mode mode(Mode defaultMode) {
		return this.respondAsync ? Mode.QUEUED : defaultMode;
	}

	/**
	 * How long to wait, in whole seconds.
	 * @param allowed maximum time
	 * @return zero if the client does not wait
	 */
	public Duration waitWithin(Duration allowed) {
		return Duration.ofSeconds(Math.min(this.longestWait.toSeconds(), allowed.toSeconds()));
	}

	/**
	 * The value of {@code Preference-Applied}.
	 * @param waited maximum time that the client waited; zero if it did not
	 * @return empty if nothing was applied
	 */
	public String applied(Duration waited) {
		List<String> applied = new ArrayList<>();
		if (this.respondAsync) {
			applied.add(HttpNames.RESPOND_ASYNC);
		}
		if (waited.isPositive()) {
			applied.add(HttpNames.WAIT + "=" + waited.toSeconds());
		}
		return String.join(", ", applied);
	}

	private static String unquoted(String value) {
		boolean quoted = value.length() > 1 && value.startsWith("\"") && value.endsWith("\"");
		return quoted ? value.substring(1, value.length() - 1) : value;
	}

	/** Splits at separators outside quoted strings. */
	private static List<String> split(String text, char separator) {
		List<String> parts = new ArrayList<>();
		boolean quoted = false;
		int start = 0;
		for (int i = 0; i < text.length(); i++) {
			char c = text.charAt(i);
			if (c == '"') {
				quoted = !quoted;
			}
			else if (quoted && c == '\\') {
				i++;
			}
			else if (!quoted && c == separator) {
				parts.add(text.substring(start, i));
				start = i + 1;
			}
		}
		parts.add(text.substring(start));
		return parts;
	}

}
