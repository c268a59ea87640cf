package dev.sluice.contract;

import java.net.URI;

/**
 * The problems a gateway reports (RFC 9457). The type is stable: a client may switch on
 * it. The title is the same for each problem of a type; the detail is not.
 */
public enum ProblemType {

	/** The body is not JSON, or not an order: wrong type, unknown field, bad value. */
	INVALID_ORDER(400, "invalid-order", "The order is not valid"),

	/** A header, a parameter or the body cannot be read. */
	INVALID_REQUEST(400, "invalid-request", "The request is not valid"),

	/** No order has this id, or there is nothing at this path. */
	NOT_FOUND(404, "not-found", "Not found"),

	/** The path does not support this method. */
	METHOD_NOT_ALLOWED(405, "method-not-allowed", "Method not allowed"),

	/** The client accepts no representation that the gateway has. */
	NOT_ACCEPTABLE(406, "not-acceptable", "Not acceptable"),

	/** The request did not arrive completely in time, or arrived too slowly. */
	REQUEST_TIMEOUT(408, "request-timeout", "The request did not arrive in time"),

	/** A request with the same idempotency key is in progress. */
	IN_PROGRESS(409, "in-progress", "The same request is in progress"),

	/** The order has not failed, or its payload is no longer known. */
	NOT_REDELIVERABLE(409, "not-redeliverable", "The order cannot be delivered again"),

	/** The body is larger than {@link Order#MAX_BYTES}. */
	TOO_LARGE(413, "too-large", "The body is too large"),

	/** The body is not {@code application/json}. */
	UNSUPPORTED_MEDIA_TYPE(415, "unsupported-media-type", "Unsupported media type"),

	/** The idempotency key was used with another payload. */
	KEY_REUSED(422, "key-reused", "The idempotency key was used for another order"),

	/** The customer is over its limit. */
	TOO_MANY_REQUESTS(429, "too-many-requests", "Too many requests"),

	/** A bug. The detail is never a stack trace. */
	INTERNAL(500, "internal", "Internal error"),

	/** The backend answered, but did not confirm that it saved the order. */
	BACKEND_REFUSED(502, "backend-refused", "The backend refused the order"),

	/** The backend is busy or cannot be reached, or its circuit is open. */
	BACKEND_UNAVAILABLE(503, "backend-unavailable", "The backend is unavailable"),

	/** Kafka did not acknowledge the order in time. */
	QUEUE_UNAVAILABLE(503, "queue-unavailable", "The queue is unavailable"),

	/** The status store did not answer, or the order is not known yet. */
	STATUS_UNAVAILABLE(503, "status-unavailable", "The status is unavailable"),

	/** A limit of the gateway is reached. */
	OVERLOADED(503, "overloaded", "The gateway is at its limit"),

	/** The gateway is shutting down. */
	SHUTTING_DOWN(503, "shutting-down", "The gateway is shutting down"),

	/**
	 * The backend did not answer within the deadline. Whether it saved the order is
	 * unknown.
	 */
	BACKEND_TIMEOUT(504, "backend-timeout", "The backend did not answer in time");

	private final int status;

	private final URI type;

	private final String title;

	ProblemType(int status, String name, String title) {
		this.status = status;
		this.type = URI.create("urn:sluice:problem:" + name);
		this.title = title;
	}

	public int status() {
		return this.status;
	}

	public URI type() {
		return this.type;
	}

	public String title() {
		return this.title;
	}

}
