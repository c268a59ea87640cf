package dev.sluice.gateway.core.problem;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

import dev.sluice.contract.Order;
import dev.sluice.contract.Placed;
import dev.sluice.contract.ProblemType;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.TypeMismatchException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.web.ErrorResponse;
import tools.jackson.databind.json.JsonMapper;

/**
 * A problem that ends a request. The gateway's error handler answers it with a problem
 * document. It is expected under load, so it has no stack trace.
 */
public final class ProblemException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

	private static final String HEALTH = "/actuator/health/";

	private static final Logger log = LoggerFactory.getLogger(ProblemException.class);

	private final ProblemType type;

	private final Placed placed;

	private final transient List<InvalidField> errors;

	private final @Nullable Duration retryAfter;

	/** A problem after which it is unknown whether the order was placed. */
	public ProblemException(ProblemType type, String detail) {
		this(type, detail, Placed.UNKNOWN, List.of(), null);
	}

	public ProblemException(ProblemType type, String detail, Placed placed) {
		this(type, detail, placed, List.of(), null);
	}

	public ProblemException(ProblemType type, String detail, Placed placed, @Nullable Duration retryAfter) {
		this(type, detail, placed, List.of(), retryAfter);
	}

	public ProblemException(ProblemType type, String detail, List<InvalidField> errors) {
		this(type, detail, Placed.NO, errors, null);
	}

	private ProblemException(ProblemType type, String detail, Placed placed, List<InvalidField> errors,
			@Nullable Duration retryAfter) {
		super(detail, null, false, false);
		this.type = type;
		this.placed = placed;
		this.errors = List.copyOf(errors);
		// Every 503 has a Retry-After.
		this.retryAfter = (retryAfter == null && type.status() == 503) ? RETRY_AFTER : retryAfter;
	}

	/**
	 * A problem of which only the type is known, with the standard detail of its type.
	 */
	public static ProblemException of(ProblemType type) {
		return new ProblemException(type, detailOf(type));
	}

	/** The problem type that an HTTP error status stands for. */
	public static ProblemType typeOf(int status) {
		return switch (status) {
			case 404 -> ProblemType.NOT_FOUND;
			case 405 -> ProblemType.METHOD_NOT_ALLOWED;
			case 406 -> ProblemType.NOT_ACCEPTABLE;
			case 408 -> ProblemType.REQUEST_TIMEOUT;
			case 413 -> ProblemType.TOO_LARGE;
			case 415 -> ProblemType.UNSUPPORTED_MEDIA_TYPE;
			// A method or a version of HTTP that the container does not know.
			case 501, 505 -> ProblemType.INVALID_REQUEST;
			case 503 -> ProblemType.OVERLOADED;
			default -> (status < 500) ? ProblemType.INVALID_REQUEST : ProblemType.INTERNAL;
		};
	}

	/** The standard detail of a type. */
	public static String detailOf(ProblemType type) {
		return switch (type) {
			case NOT_FOUND -> "There is nothing at this path.";
			case METHOD_NOT_ALLOWED -> "The header Allow lists the methods of this path.";
			case NOT_ACCEPTABLE -> "Only " + MediaType.APPLICATION_JSON_VALUE + " can be sent.";
			case REQUEST_TIMEOUT -> "The request arrived too slowly, or not completely.";
			case TOO_LARGE -> "The body may have at most " + Order.MAX_BYTES + " bytes.";
			case UNSUPPORTED_MEDIA_TYPE -> "The body must be " + MediaType.APPLICATION_JSON_VALUE + ", not compressed.";
			case INVALID_REQUEST -> "The request line, a header, a parameter or the body cannot be read.";
			case INTERNAL -> "The gateway failed; its log says why.";
			case INVALID_ORDER, IN_PROGRESS, NOT_REDELIVERABLE, KEY_REUSED, TOO_MANY_REQUESTS, BACKEND_REFUSED,
					BACKEND_UNAVAILABLE, QUEUE_UNAVAILABLE, STATUS_UNAVAILABLE, OVERLOADED, SHUTTING_DOWN,
					BACKEND_TIMEOUT ->
				type.title() + ".";
		};
	}

	public ProblemType type() {
		return this.type;
	}

	public Placed placed() {
		return this.placed;
	}

	public List<InvalidField> errors() {
		return this.errors;
	}

	/**
	 * Answers a failure, of the application or the framework, with a problem document.
	 * Its text is written here or at the cause, and never comes from an exception of a
	 * library.
	 * @param method the request's method
	 * @param path the request's path, as it was sent
	 */
	public static ResponseEntity<byte[]> answer(Throwable failure, HttpMethod method, String path) {
		return switch (failure) {
			case ProblemException problem -> problem.toResponse(method, path);
			// Errors of the framework have a status, and headers such as Allow.
			case ErrorResponse known when known.getStatusCode().value() != 500 ->
				of(typeOf(known.getStatusCode().value())).toResponse(method, path, known.getHeaders());
			case TypeMismatchException _, HttpMessageNotReadableException _ ->
				of(ProblemType.INVALID_REQUEST).toResponse(method, path);
			// Spring Boot 4.1 fails like this below a health component that does not
			// exist.
			case IllegalStateException _ when path.startsWith(HEALTH) ->
				of(ProblemType.NOT_FOUND).toResponse(method, path);
			default -> {
				log.error("A request failed because of a bug", failure);
				yield of(ProblemType.INTERNAL).toResponse(method, path);
			}
		};
	}

	public ResponseEntity<byte[]> toResponse(HttpMethod method, String path) {
		return toResponse(method, path, HttpHeaders.EMPTY);
	}

	private ResponseEntity<byte[]> toResponse(HttpMethod method, String path, HttpHeaders more) {
		HttpHeaders headers = new HttpHeaders();
		headers.putAll(more);
		headers.setContentType(MediaType.APPLICATION_PROBLEM_JSON);
		retryAfter().ifPresent((seconds) -> headers.set(HttpHeaders.RETRY_AFTER, seconds));
		return ResponseEntity.status(this.type.status())
			.headers(headers)
			.body(json(method.name(), path).getBytes(StandardCharsets.UTF_8));
	}

	/**
	 * The whole answer to a request that no framework has seen: to refuse it, one would
	 * cost more than the refusal saves.
	 * @param method the request's method: only a POST places an order
	 * @param path the request's path, as it was sent; null if unknown
	 * @param last whether the connection is closed afterwards
	 */
	public byte[] toBytes(String method, @Nullable String path, boolean last) {
		String body = json(method, path);
		return ("HTTP/1.1 " + this.type.status() + " \r\nContent-Type: application/problem+json\r\nContent-Length: "
				+ body.length() + retryAfter().map((seconds) -> "\r\nRetry-After: " + seconds).orElse("")
				+ (last ? "\r\nConnection: close\r\n\r\n" : "\r\n\r\n") + (method.equals("HEAD") ? "" : body))
			.getBytes(StandardCharsets.US_ASCII);
	}

	/** Nothing but a field's name needs an escape: a path has none. */
	private String json(String method, @Nullable String path) {
		String errors = this.errors.isEmpty() ? ""
				: ",\"errors\":" + JsonMapper.shared().writeValueAsString(this.errors);
		String placed = method.equals("POST") && includesPlaced()
				? ",\"" + Placed.MEMBER + "\":\"" + this.placed.name().toLowerCase(Locale.ROOT) + '"' : "";
		String instance = (path != null) ? "\",\"instance\":\"" + path : "";
		return "{\"type\":\"" + this.type.type() + "\",\"title\":\"" + this.type.title() + "\",\"status\":"
				+ this.type.status() + ",\"detail\":\"" + getMessage() + instance + '"' + errors + placed + '}';
	}

	/** Whole seconds, rounded up: with 0 every client would retry at once. */
	private Optional<String> retryAfter() {
		return Optional.ofNullable(this.retryAfter)
			.map((time) -> Long.toString(Math.max(1, time.plusMillis(999).toSeconds())));
	}

	/** Every other problem is found before anything is done with the order. */
	private boolean includesPlaced() {
		return this.type.status() >= 500 || this.type.status() == HttpStatus.TOO_MANY_REQUESTS.value();
	}

	/**
	 * What is wrong with one field of an order.
	 *
	 * @param field its path, such as {@code items[0].sku}
	 * @param message what it must be
	 */
	public record InvalidField(String field, String message) {
	}

}
