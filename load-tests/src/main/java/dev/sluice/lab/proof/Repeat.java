package dev.sluice.lab.proof;

import java.time.Duration;

import dev.sluice.lab.proof.RawConnection.Reply;

/**
 * Sends again what a gateway turned away, as its clients do. A disk that stands still for
 * a second is no failure of a gateway's that says so.
 */
final class Repeat {

	private Repeat() {
	}

	/**
	 * Repeats an exchange, after the pauses that its answers ask for.
	 * @param exchange sends and receives
	 * @param patience no more is sent when so much is over
	 * @return the first answer that is none to come again; the last, if there was no such
	 * in time
	 */
	static <X extends Exception> Reply whileTurnedAway(Exchange<X> exchange, Duration patience)
			throws X, InterruptedException {
		long deadline = System.nanoTime() + patience.toNanos();
		Reply reply = exchange.run();
		while (reply instanceof Reply.Answer answer && answer.isTurnedAway()) {
			Duration pause = answer.retryAfter();
			if (System.nanoTime() + pause.toNanos() - deadline > 0) {
				return reply;
			}
			Thread.sleep(pause);
			reply = exchange.run();
		}
		return reply;
	}

	/** One request and what comes back. */
	@FunctionalInterface
	interface Exchange<X extends Exception> {

		Reply run() throws X;

	}

}
