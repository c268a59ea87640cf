package dev.sluice.gateway.core.order;

import java.util.List;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/** The client's trace context (W3C), which is passed on and never created here. */
public final class Traceparent {

	private static final Pattern VALID = Pattern
		.compile("(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}");

	private Traceparent() {
	}

	/**
	 * Reads the {@code traceparent} header.
	 * @param lines its field lines; empty if there is none
	 * @return the header's value, or null if there is no valid one; an invalid one is
	 * ignored
	 */
	public static @Nullable String parse(List<String> lines) {
		return (lines.size() == 1 && VALID.matcher(lines.getFirst()).matches()) ? lines.getFirst() : null;
	}

}
