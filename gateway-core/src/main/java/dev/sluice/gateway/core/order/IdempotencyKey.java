package dev.sluice.gateway.core.order;

import java.util.List;

import dev.sluice.contract.HttpNames;
import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.problem.ProblemException;
import org.jspecify.annotations.Nullable;

/**
 * The client's name for a request (IETF draft httpapi-idempotency-key-header).
 *
 * @param value 1 to 255 printable ASCII characters, without the quotes and escapes
 */
public record IdempotencyKey(String value) {

	private static final int MAX_LENGTH = 255;

	/**
	 * Reads the {@code Idempotency-Key} header: a structured-field string (RFC 9651)
	 * without parameters.
	 * @param lines its field lines; empty if there is none
	 * @return the key, or null if there is none
	 * @throws ProblemException if it cannot be read
	 */
	public static @Nullable IdempotencyKey parse(List<String> lines) {
		if (lines.isEmpty()) {
			return null;
		}
		if (lines.size() > 1) {
			throw invalid("occurs more than once");
		}
		return new IdempotencyKey(unquote(lines.getFirst().strip()));
	}

	private static String unquote(String item) {
		int end = item.length() - 1;
		if (end < 1 || item.charAt(0) != '"' || item.charAt(end) != '"') {
			throw invalid("must be a quoted string");
		}
		StringBuilder value = new StringBuilder(end);
		for (int i = 1; i < end; i++) {
			char c = item.charAt(i);
			if (c == '\\') {
				i++;
				c = item.charAt(i);
				if (i == end || (c != '"' && c != '\\')) {
					throw invalid("has a backslash that escapes nothing");
				}
			}
			else if (c == '"') {
				throw invalid("must be one quoted string without parameters");
			}
			else if (c < 0x20 || c > 0x7e) {
				throw invalid("must be printable ASCII");
			}
			value.append(c);
		}
		if (value.isEmpty() || value.length() > MAX_LENGTH) {
			throw invalid("must have 1 to " + MAX_LENGTH + " characters");
		}
		return value.toString();
	}

	/** The problem of a key that already names another order. */
	public ProblemException reused() {
		return new ProblemException(ProblemType.KEY_REUSED,
				"This Idempotency-Key was used for a different order. Send that order, or use another key.");
	}

	private static ProblemException invalid(String what) {
		return new ProblemException(ProblemType.INVALID_REQUEST,
				"The header " + HttpNames.IDEMPOTENCY_KEY + " " + what + ".");
	}

}
