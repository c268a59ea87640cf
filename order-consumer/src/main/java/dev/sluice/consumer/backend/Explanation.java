package dev.sluice.consumer.backend;

import java.time.Duration;

/**
 * Why an order is not saved, told twice. Clients read the reason in the order's status,
 * so it is one of the few sentences below, without an address and without the backend's
 * own words. Operators read the detail in the log and in the dead letter.
 *
 * @param reason one sentence for clients
 * @param detail one line for operators
 */
public record Explanation(String reason, String detail) {

	public static Explanation refused(int status, String detail) {
		return new Explanation("The backend refused the order (status %d).".formatted(status), detail);
	}

	public static Explanation failed(int status, String detail) {
		return new Explanation("The backend failed (status %d).".formatted(status), detail);
	}

	static Explanation notAnsweredWithin(Duration timeout, String detail) {
		return new Explanation("The backend did not answer within %s.".formatted(text(timeout)), detail);
	}

	static Explanation connectionLost(String detail) {
		return new Explanation("The connection to the backend was lost.", detail);
	}

	public static Explanation unreachable(String detail) {
		return new Explanation("The backend could not be reached.", detail);
	}

	public static Explanation throttled(String detail) {
		return new Explanation("The backend takes no more orders at the moment.", detail);
	}

	public static Explanation otherPayload(String detail) {
		return new Explanation("Another order was accepted under this id before.", detail);
	}

	public static Explanation unreadable(String detail) {
		return new Explanation("The record cannot be read as an order.", detail);
	}

	/** A bug of the consumer's. */
	public static Explanation brokenOff(String detail) {
		return new Explanation("The delivery was interrupted.", detail);
	}

	private static String text(Duration timeout) {
		return (timeout.toMillisPart() == 0) ? timeout.toSeconds() + " s" : timeout.toMillis() + " ms";
	}

}
