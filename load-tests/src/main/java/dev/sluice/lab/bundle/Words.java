package dev.sluice.lab.bundle;

import java.util.ArrayList;
import java.util.List;

/** Splits a command line, as a run records it, into words. */
final class Words {

	private Words() {
	}

	/**
	 * Splits at spaces, except within apostrophes. An apostrophe in a word is written
	 * {@code '\''}.
	 * @throws IllegalArgumentException if an apostrophe is not closed
	 */
	static List<String> of(String command) {
		List<String> words = new ArrayList<>();
		StringBuilder word = new StringBuilder();
		boolean quoted = false;
		boolean begun = false;
		for (int i = 0; i < command.length(); i++) {
			char c = command.charAt(i);
			if (c == '\'') {
				quoted = !quoted;
				begun = true;
			}
			else if (!quoted && c == '\\' && i + 1 < command.length()) {
				word.append(command.charAt(++i));
				begun = true;
			}
			else if (!quoted && c == ' ') {
				if (begun) {
					words.add(word.toString());
				}
				word.setLength(0);
				begun = false;
			}
			else {
				word.append(c);
				begun = true;
			}
		}
		if (quoted) {
			throw new IllegalArgumentException("an apostrophe is not closed");
		}
		if (begun) {
			words.add(word.toString());
		}
		return words;
	}

}
