package dev.sluice.gateway.core.order;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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

	/** A structured-field string (RFC 9651). */
	private static final Pattern STRING = Pattern.compile("\"((?:[ !#-\\[\\]-~]|\\\\[\"\\\\]){1,255}+)\"");

	private static final Pattern ESCAPED = Pattern.compile("\\\\(.)");

	/**
	 * Reads the {@code Idempotency-Key} header: a structured-field string without
	 * parameters.
	 * @param lines its field lines; empty if there is none
	 * @return the key, or null if there is none
	 * @throws ProblemException if it cannot be read
	 */
	public static @Nullable IdempotencyKey parse(List<String> lines) {
		if (lines.isEmpty()) {
			return null;
		}
		Matcher string = STRING.matcher(lines.getFirst().strip());
		if (lines.size() > 1 || !string.matches()) {
			throw new ProblemException(ProblemType.INVALID_REQUEST, "The header " + HttpNames.IDEMPOTENCY_KEY
					+ " must occur once, as 1 to 255 printable ASCII characters in quotes, without parameters.");
		}
		return new IdempotencyKey(ESCAPED.matcher(string.group(1)).replaceAll("$1"));
	}

	/** The problem of a key that already names another order. */
	public ProblemException reused() {
		return new ProblemException(ProblemType.KEY_REUSED,
				"This Idempotency-Key was used for a different order. Send that order, or use another key.");
	}

}
