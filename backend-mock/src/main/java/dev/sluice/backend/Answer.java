package dev.sluice.backend;

import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Collectors;

import dev.sluice.contract.ProblemType;
import dev.sluice.contract.SavedOrder;
import tools.jackson.core.JacksonException;

import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;

/**
 * How a request ends.
 *
 * @param status the HTTP status: 201 for an order saved now, 200 for one saved before; 0
 * if the connection ends without an answer
 * @param body the body as JSON, a {@link ProblemDetail} if the request failed
 * @param retryAfterSeconds when to try again; 0 if the answer does not say
 */
record Answer(int status, Object body, long retryAfterSeconds) {

	/** A fault that {@code PUT /behaviour} asks for: the connection is reset. */
	static final Answer RESET = new Answer(0, "reset", 0);

	/** A hanging request ends: its connection is closed. */
	static final Answer ABANDONED = new Answer(0, "closed", 0);

	static Answer saved(SavedOrder order) {
		return new Answer(201, order, 0);
	}

	static Answer repeated(SavedOrder order) {
		return new Answer(200, order, 0);
	}

	/** The id was saved before with another body. Nothing is saved. */
	static Answer keyReused(UUID id) {
		return problem(ProblemType.KEY_REUSED,
				"Order " + id + " was saved with another body; send that body or use another id");
	}

	/** A delay without an order is over. */
	static Answer delayed(long millis) {
		return new Answer(200, Map.of("delayMillis", millis), 0);
	}

	static Answer problem(int status, String detail) {
		return new Answer(status, ProblemDetail.forStatusAndDetail(HttpStatusCode.valueOf(status), detail), 0);
	}

	static Answer problem(ProblemType type, String detail) {
		return new Answer(type.status(), detail(type, detail), 0);
	}

	static ProblemDetail detail(ProblemType type, String detail) {
		ProblemDetail problem = ProblemDetail.forStatusAndDetail(HttpStatusCode.valueOf(type.status()), detail);
		problem.setType(type.type());
		problem.setTitle(type.title());
		return problem;
	}

	/** Why JSON cannot be read: which field, and Jackson's words without classes. */
	static String reason(JacksonException unreadable) {
		String field = unreadable.getPath()
			.stream()
			.map((reference) -> Objects.requireNonNullElse(reference.getPropertyName(), "" + reference.getIndex()))
			.collect(Collectors.joining("."));
		return (field.isEmpty() ? "The document" : field) + ": "
				+ unreadable.getOriginalMessage().replaceAll(" \\(class .*|\\b[a-z]+(\\.[a-z]+)*\\.(?=[A-Z])", "");
	}

}
