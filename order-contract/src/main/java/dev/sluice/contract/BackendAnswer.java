package dev.sluice.contract;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.MissingNode;

/**
 * What an answer of the backend says about an order: the same for the gateways and the
 * consumer. {@code docs/backend.md} tells it to those who write backends.
 */
public sealed interface BackendAnswer {

	/** Maximum size of an answer's body, and of its head, in bytes. */
	int MAX_BYTES = 64 * 1024;

	/** Maximum number of fields of an answer's head. */
	int MAX_FIELDS = 1_000;

	/** How far the backend's clock may be ahead. */
	Duration MAX_AHEAD = Duration.ofDays(1);

	/** Digits beyond nine are left out: the number is too large either way. */
	Pattern SECONDS = Pattern.compile("0*([0-9]{1,9})[0-9]*");

	/**
	 * It has the order: 200 or 201, with JSON whose {@code id} is the order's.
	 *
	 * @param at when it was saved, by the backend's clock; null if it does not say, or
	 * says what cannot be
	 */
	record Saved(@Nullable Instant at) implements BackendAnswer {
	}

	/** It refuses this order: 400, 409, 413 or 422. */
	record Rejected() implements BackendAnswer {
	}

	/**
	 * It has another payload under the order's id: 409 or 422 with the problem type
	 * {@link ProblemType#KEY_REUSED}.
	 */
	record Conflict() implements BackendAnswer {
	}

	/**
	 * Anything else: the backend has failed, or something in front of it has answered. It
	 * says nothing about the order.
	 */
	record Failed() implements BackendAnswer {
	}

	/**
	 * Interprets an answer to {@code POST /orders}. Throttling, which also depends on
	 * {@code Retry-After}, is the caller's to tell first.
	 * @param status its HTTP status, 200 or more
	 * @param body its whole body, or more than {@link #MAX_BYTES} of it
	 * @param id the order's id
	 * @param now the time that the answer's is compared with
	 */
	static BackendAnswer of(int status, byte[] body, UUID id, Instant now) {
		if (body.length > MAX_BYTES) {
			return new Failed();
		}
		return switch (status) {
			case 200, 201 -> saved(json(body), id, now);
			case 409, 422 -> ProblemType.KEY_REUSED.type().toString().equals(json(body).path("type").stringValue(null))
					? new Conflict() : new Rejected();
			case 400, 413 -> new Rejected();
			default -> new Failed();
		};
	}

	/**
	 * Reads {@code Retry-After} (RFC 9110, section 10.2.3): seconds, or a date.
	 * @param header its value; null if it is missing
	 * @param now the time that a date is compared with
	 * @return how long to wait, zero for a date in the past; null if it is missing or
	 * cannot be read
	 */
	static @Nullable Duration retryAfter(@Nullable String header, Instant now) {
		if (header == null) {
			return null;
		}
		String value = header.strip();
		Matcher digits = SECONDS.matcher(value);
		try {
			Duration wait = digits.matches() ? Duration.ofSeconds(Long.parseLong(digits.group(1)))
					: Duration.between(now, DateTimeFormatter.RFC_1123_DATE_TIME.parse(value, Instant::from));
			return wait.isNegative() ? Duration.ZERO : wait;
		}
		catch (DateTimeException ex) {
			return null;
		}
	}

	/** A whole body; missing if it is not one JSON document. */
	private static JsonNode json(byte[] body) {
		try {
			return JsonMapper.shared().readTree(body);
		}
		catch (JacksonException ex) {
			return MissingNode.getInstance();
		}
	}

	private static BackendAnswer saved(JsonNode answer, UUID id, Instant now) {
		return id.toString().equalsIgnoreCase(answer.path("id").stringValue(null))
				? new Saved(time(answer.path("savedAt").stringValue(null), now)) : new Failed();
	}

	private static @Nullable Instant time(@Nullable String text, Instant now) {
		try {
			Instant at = (text != null) ? Instant.parse(text) : null;
			return (at == null || at.isBefore(Instant.EPOCH) || at.isAfter(now.plus(MAX_AHEAD))) ? null : at;
		}
		catch (DateTimeException ex) {
			return null;
		}
	}

}
