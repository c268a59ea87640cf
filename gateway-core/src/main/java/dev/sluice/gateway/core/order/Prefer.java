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
 * How a client prefers to be answered (RFC 7240): {@code respond-async} and {@code wait}.
 * Other preferences, parameters and malformed values are ignored, as the RFC asks.
 *
 * @param respondAsync whether the client asks for the queued mode
 * @param mode the mode of its order
 * @param maxWait maximum time that the client waits for its queued order to be saved, in
 * whole seconds; zero if it does not wait
 */
public record Prefer(boolean respondAsync, Mode mode, Duration maxWait) {

	/** Further digits are left out: so long nobody may wait. */
	private static final Pattern SECONDS = Pattern.compile("0*([0-9]{1,9})[0-9]*");

	/**
	 * Reads the {@code Prefer} header.
	 * @param lines its field lines, in order; empty if there is none
	 * @param defaultMode the mode if the client does not ask for one
	 * @param longestWait maximum time that a client may wait
	 * @return the preferences
	 */
	public static Prefer parse(List<String> lines, Mode defaultMode, Duration longestWait) {
		Map<String, String> values = new HashMap<>();
		for (String line : lines) {
			for (String preference : split(line)) {
				String[] nameAndValue = preference.split(";", 2)[0].split("=", 2);
				String value = (nameAndValue.length > 1) ? unquoted(nameAndValue[1].strip()) : "";
				// RFC 7240: if a preference occurs twice, the first counts.
				values.putIfAbsent(nameAndValue[0].strip().toLowerCase(Locale.ROOT), value);
			}
		}
		// With a value it is another preference: in the RFC respond-async has none.
		boolean respondAsync = "".equals(values.get(HttpNames.RESPOND_ASYNC));
		Mode mode = respondAsync ? Mode.QUEUED : defaultMode;
		Matcher wait = SECONDS.matcher(values.getOrDefault(HttpNames.WAIT, ""));
		long seconds = (mode == Mode.QUEUED && wait.matches()) ? Long.parseLong(wait.group(1)) : 0;
		return new Prefer(respondAsync, mode, Duration.ofSeconds(Math.min(seconds, longestWait.toSeconds())));
	}

	/**
	 * The value of {@code Preference-Applied}.
	 * @param waited whether the client waited for the outcome
	 * @return empty if nothing was applied
	 */
	public String applied(boolean waited) {
		List<String> applied = new ArrayList<>();
		if (this.respondAsync) {
			applied.add(HttpNames.RESPOND_ASYNC);
		}
		if (waited) {
			applied.add(HttpNames.WAIT + "=" + this.maxWait.toSeconds());
		}
		return String.join(", ", applied);
	}

	private static String unquoted(String value) {
		boolean quoted = value.length() > 1 && value.startsWith("\"") && value.endsWith("\"");
		return quoted ? value.substring(1, value.length() - 1) : value;
	}

	/** Splits at commas outside quoted strings. */
	private static List<String> split(String line) {
		List<String> parts = new ArrayList<>();
		boolean quoted = false;
		int start = 0;
		for (int i = 0; i < line.length(); i++) {
			char c = line.charAt(i);
			if (c == '"') {
				quoted = !quoted;
			}
			else if (quoted && c == '\\') {
				i++;
			}
			else if (!quoted && c == ',') {
				parts.add(line.substring(start, i));
				start = i + 1;
			}
		}
		parts.add(line.substring(start));
		return parts;
	}

}
