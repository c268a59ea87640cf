package dev.sluice.gateway.core.problem;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

import dev.sluice.contract.Placed;
import dev.sluice.contract.ProblemType;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;

/**
 * A problem that ends a request. The gateway's error handler answers it with a problem
 * document. It is expected under load, so it has no stack trace.
 */
public final class ProblemException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

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

	public ProblemType type() {
		return this.type;
	}

	public Placed placed() {
		return this.placed;
	}

	public List<InvalidField> errors() {
		return this.errors;
	}

	public ResponseEntity<ProblemDetail> toResponse(HttpMethod method) {
		return toResponse(method, HttpHeaders.EMPTY);
	}

	/**
	 * The problem document.
	 * @param method the request's method: only a POST places an order
	 * @param more further headers
	 * @return the response
	 */
	public ResponseEntity<ProblemDetail> toResponse(HttpMethod method, HttpHeaders more) {
		ProblemDetail problem = ProblemDetail.forStatus(this.type.status());
		problem.setType(this.type.type());
		problem.setTitle(this.type.title());
		problem.setDetail(getMessage());
		if (!this.errors.isEmpty()) {
			problem.setProperty("errors", this.errors);
		}
		if (method.equals(HttpMethod.POST) && includesPlaced()) {
			problem.setProperty(Placed.MEMBER, this.placed);
		}
		HttpHeaders headers = new HttpHeaders();
		headers.putAll(more);
		headers.setContentType(MediaType.APPLICATION_PROBLEM_JSON);
		retryAfter().ifPresent((seconds) -> headers.set(HttpHeaders.RETRY_AFTER, seconds));
		return ResponseEntity.status(this.type.status()).headers(headers).body(problem);
	}

	/**
	 * The whole answer to a request that no framework has seen: to refuse it, one would
	 * cost more than the refusal saves.
	 * @param method the request's method
	 * @param path the request's path, with nothing that needs an escape; null if unknown
	 * @param last whether the connection is closed afterwards
	 */
	public byte[] toBytes(String method, @Nullable String path, boolean last) {
		String body = json(method, path);
		return ("HTTP/1.1 " + this.type.status() + " \r\nContent-Type: application/problem+json\r\nContent-Length: "
				+ body.length() + retryAfter().map((seconds) -> "\r\nRetry-After: " + seconds).orElse("")
				+ (last ? "\r\nConnection: close\r\n\r\n" : "\r\n\r\n") + (method.equals("HEAD") ? "" : body))
			.getBytes(StandardCharsets.US_ASCII);
	}

	/** The problem document, as {@link #toBytes} has it. */
	public String json(String method, @Nullable String path) {
		String placed = method.equals("POST") && includesPlaced()
				? ",\"" + Placed.MEMBER + "\":\"" + this.placed.name().toLowerCase(Locale.ROOT) + '"' : "";
		String instance = (path != null) ? "\",\"instance\":\"" + path : "";
		return "{\"type\":\"" + this.type.type() + "\",\"title\":\"" + this.type.title() + "\",\"status\":"
				+ this.type.status() + ",\"detail\":\"" + getMessage() + instance + '"' + placed + '}';
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
