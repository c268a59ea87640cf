package dev.sluice.gateway;

import java.util.ArrayList;
import java.util.List;

import dev.sluice.contract.HttpNames;

/**
 * What a client prefers (RFC 7240). Only {@code respond-async} is known; other
 * preferences, parameters and what cannot be read are passed over, as the RFC asks.
 *
 * @param respondAsync whether the client prefers the queued way
 */
record Prefer(boolean respondAsync) {

	/**
	 * Reads the {@code Prefer} header.
	 * @param lines its field lines, in order; empty if there is none
	 * @return the preferences
	 */
	static Prefer parse(List<String> lines) {
		for (String line : lines) {
			for (String preference : split(line, ',')) {
				String token = split(preference, ';').getFirst().strip();
				// A value makes it another preference: the RFC gives respond-async none.
				if (token.equalsIgnoreCase(HttpNames.RESPOND_ASYNC)) {
					return new Prefer(true);
				}
			}
		}
		return new Prefer(false);
	}

	Way way(Way defaultWay) {
		return this.respondAsync ? Way.QUEUED : defaultWay;
	}

	/** Splits at the separator where it is not within a quoted string. */
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
