package dev.sluice.lab.proof.requests;

import java.time.Duration;
import java.util.List;

import dev.sluice.contract.ProblemType;
import dev.sluice.lab.kit.stack.RawConnection.Reply;

/**
 * Retries requests that a gateway refused because Kafka or PostgreSQL did not answer, as
 * its clients do. A gateway that reports a disk stalled for a second has not failed; one
 * that reports its own limit may have.
 */
final class Retry {

	private static final List<ProblemType> SERVERS_FAIL = List.of(ProblemType.QUEUE_UNAVAILABLE,
			ProblemType.STATUS_UNAVAILABLE);

	private Retry() {
	}

	/**
	 * Repeats an exchange after the pauses that its answers ask for.
	 * @param exchange sends and receives
	 * @param patience time after which nothing more is sent
	 * @return the first other answer, or the last answer if there was none in time
	 */
	static <X extends Exception> Reply whileServersFail(Exchange<X> exchange, Duration patience)
			throws X, InterruptedException {
		long deadline = System.nanoTime() + patience.toNanos();
		Reply reply = exchange.run();
		while (reply instanceof Reply.Answer answer && answer.isUnavailable() && isServersFailure(answer)) {
			Duration pause = answer.retryAfter();
			if (System.nanoTime() + pause.toNanos() - deadline > 0) {
				return reply;
			}
			Thread.sleep(pause);
			reply = exchange.run();
		}
		return reply;
	}

	private static boolean isServersFailure(Reply.Answer answer) {
		return SERVERS_FAIL.stream().anyMatch((type) -> answer.body().contains("\"%s\"".formatted(type.type())));
	}

	/** Sends one request and returns the answer. */
	@FunctionalInterface
	interface Exchange<X extends Exception> {

		Reply run() throws X;

	}

}
