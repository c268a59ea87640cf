package dev.sluice.lab.load;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One of the processes that together send a load.
 *
 * @param number from 1
 * @param of number of parts
 */
record Part(int number, int of) {

	static final int MAX = 1_000;

	private static final Pattern TEXT = Pattern.compile("(\\d{1,4})/(\\d{1,4})");

	/**
	 * Parses a part such as {@code 2/5}.
	 * @throws IllegalArgumentException if the text is not a part
	 */
	static Part parse(String text) {
		Matcher matcher = TEXT.matcher(text);
		if (matcher.matches()) {
			Part part = new Part(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)));
			if (part.of <= MAX && part.number >= 1 && part.number <= part.of) {
				return part;
			}
		}
		throw new IllegalArgumentException(
				"--of must be like 2/5, the second of five parts, of %,d at most; it is '%s'".formatted(MAX, text));
	}

	/** Whether it is the first part, which coordinates the others. */
	boolean isCoordinator() {
		return this.number == 1;
	}

	@Override
	public String toString() {
		return "part %d of %d".formatted(this.number, this.of);
	}

}
