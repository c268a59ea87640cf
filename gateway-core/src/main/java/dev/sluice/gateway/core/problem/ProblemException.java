package dev.sluice.gateway.core.problem;

import java.time.Duration;
import java.util.List;

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
		if (this.retryAfter != null) {
			// Whole seconds, rounded up: with 0 every client would retry at once.
			headers.set(HttpHeaders.RETRY_AFTER,
					Long.toString(Math.max(1, this.retryAfter.plusMillis(999).toSeconds())));
		}
		return ResponseEntity.status(this.type.status()).headers(headers).body(problem);
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
