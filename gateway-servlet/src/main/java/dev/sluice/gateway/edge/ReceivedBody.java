package dev.sluice.gateway.edge;

import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.problem.ProblemException;
import dev.sluice.gateway.core.problem.StandardProblem;
import org.jspecify.annotations.Nullable;

/**
 * The body of a request, or the problem that it could not be read.
 *
 * @param content the whole body, null if there is a problem
 * @param problem the reason why the body was not read, null if it was
 */
public record ReceivedBody(byte @Nullable [] content, @Nullable ProblemException problem) {

	static ReceivedBody of(byte[] content) {
		return new ReceivedBody(content, null);
	}

	static ReceivedBody unreadable(ProblemType type) {
		return new ReceivedBody(null, StandardProblem.of(type));
	}

	static ReceivedBody refused(ProblemException problem) {
		return new ReceivedBody(null, problem);
	}

	/**
	 * The whole body.
	 * @throws ProblemException if it was not read
	 */
	public byte[] bytes() {
		if (this.content == null) {
			throw (this.problem != null) ? this.problem : StandardProblem.of(ProblemType.INVALID_REQUEST);
		}
		return this.content;
	}

}
