package dev.sluice.consumer.backend;

import java.time.Duration;

/**
 * Why an order is not saved, for two readers. Clients read the reason in the order's
 * status: it is one of the sentences below and contains no address and no text of the
 * backend. Operators read the detail in the log and in the dead letter.
 *
 * @param reason one sentence for clients
 * @param detail one line for operators
 */
public record FailureReason(String reason, String detail) {

	public static FailureReason refused(int status, String detail) {
		return new FailureReason("The backend refused the order (status %s).".formatted(status), detail);
	}

	public static FailureReason failed(int status, String detail) {
		return new FailureReason("The backend failed (status %s).".formatted(status), detail);
	}

	static FailureReason notAnsweredWithin(Duration timeout, String detail) {
		return new FailureReason("The backend did not answer within %s.".formatted(text(timeout)), detail);
	}

	static FailureReason connectionLost(String detail) {
		return new FailureReason("The connection to the backend was lost.", detail);
	}

	public static FailureReason unreachable(String detail) {
		return new FailureReason("The backend could not be reached.", detail);
	}

	public static FailureReason throttled(String detail) {
		return new FailureReason("The backend takes no more orders at the moment.", detail);
	}

	public static FailureReason otherPayload(String detail) {
		return new FailureReason("Another order was accepted under this id before.", detail);
	}

	public static FailureReason unreadable(String detail) {
		return new FailureReason("The record cannot be read as an order.", detail);
	}

	/** A bug in the consumer, or its shutdown. */
	public static FailureReason interrupted(String detail) {
		return new FailureReason("The delivery was interrupted.", detail);
	}

	private static String text(Duration timeout) {
		return (timeout.toMillisPart() == 0) ? timeout.toSeconds() + " s" : timeout.toMillis() + " ms";
	}

}
