package dev.sluice.gateway.core.limit;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.LongSupplier;

import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.problem.ProblemException;
import org.jspecify.annotations.Nullable;

/**
 * One request that is arriving on a connection, within the limits of
 * {@link RequestLimit}. The server gets it when it has arrived completely: until then it
 * has no thread and no place, and its bytes are held for it. A request that is refused is
 * answered in place of the server. Not thread-safe.
 */
public final class ArrivingRequest {

	private final RequestLimit requests;

	private final RequestFraming framing;

	private final int maxHeadBytes;

	private final LongSupplier nanoTime;

	/** When its first byte came, then when its head was complete. */
	private long sinceNanos;

	private boolean asked;

	private int heldBytes;

	/** Null until the head is complete. */
	private RequestLimit.@Nullable Place place;

	/**
	 * @param maxHeadBytes maximum size of a head, in bytes
	 * @param nanoTime the time, in nanoseconds
	 */
	public ArrivingRequest(RequestLimit requests, int maxHeadBytes, LongSupplier nanoTime) {
		this.requests = requests;
		this.framing = new RequestFraming(maxHeadBytes);
		this.maxHeadBytes = maxHeadBytes;
		this.nanoTime = nanoTime;
	}

	/**
	 * Checks the next bytes, up to the end of the request.
	 * @return how many of them need not be passed again, see {@link RequestFraming#check}
	 * @throws ProblemException if it is refused: it is ill-formed or too large, or there
	 * is no memory for it
	 */
	public int check(ByteBuffer bytes) {
		boolean begun = this.framing.isInHead();
		int length = this.framing.check(bytes);
		if (this.framing.isBroken()) {
			throw refused(ProblemType.INVALID_REQUEST);
		}
		boolean headArrived = isComplete() || this.framing.isInBody();
		if (headArrived && this.place == null) {
			this.place = this.requests.arrive();
			this.sinceNanos = this.nanoTime.getAsLong();
		}
		else if (this.framing.isInHead() && !begun) {
			this.sinceNanos = this.nanoTime.getAsLong();
		}
		if (headArrived && this.framing.isTooLarge()) {
			throw refused(ProblemType.TOO_LARGE);
		}
		hold(this.framing.isInBody() ? this.framing.bodyBytes() : 0);
		return length;
	}

	private void hold(int bytes) {
		if (bytes != this.heldBytes) {
			this.requests.hold(bytes - this.heldBytes);
			this.heldBytes = bytes;
		}
	}

	/** Whether it has arrived completely, with its body. */
	public boolean isComplete() {
		return this.framing.isComplete();
	}

	/**
	 * Puts the complete request in progress.
	 * @throws ProblemException if it is refused
	 */
	public void admit() {
		if (this.place != null) {
			this.place.admit(this.framing.head());
		}
	}

	/**
	 * Asks for the body, once, if the client waits for that.
	 * @return what to send; null if it does not wait
	 */
	public byte @Nullable [] ask() {
		if (this.asked || !this.framing.isInBody() || !this.framing.head().isContinueExpected()) {
			return null;
		}
		this.asked = true;
		return "HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
	}

	/**
	 * How long it may take until its head, or then its body, has arrived; null if nothing
	 * of it has.
	 */
	public @Nullable Duration left() {
		if (!this.framing.isInHead() && !this.framing.isInBody()) {
			return null;
		}
		return ((this.place != null) ? this.requests.connections().bodyTimeout()
				: this.requests.connections().headTimeout())
			.minusNanos(this.nanoTime.getAsLong() - this.sinceNanos);
	}

	/** The problem if nothing is left. */
	public ProblemException late() {
		return refused(ProblemType.REQUEST_TIMEOUT);
	}

	private ProblemException refused(ProblemType type) {
		return this.requests.refused(ProblemException.of(type));
	}

	/** Whether the connection must be closed after a problem. */
	public boolean isLast(ProblemException problem) {
		return !isComplete() || this.framing.head().isLast() || problem.type() == ProblemType.SHUTTING_DOWN
				|| problem.type() == ProblemType.TOO_LARGE;
	}

	/** The whole answer if it is a problem. */
	public byte[] answer(ProblemException problem) {
		return (this.place != null)
				? problem.toBytes(this.framing.head().method(), this.framing.head().path(), isLast(problem))
				: problem.toBytes("GET", null, true);
	}

	/** It is answered, or its connection is closed. */
	public void end() {
		if (this.place != null) {
			this.place.close();
			this.place = null;
		}
		hold(0);
	}

	/** It is answered; returns the next one of its connection. */
	public ArrivingRequest next() {
		end();
		return new ArrivingRequest(this.requests, this.maxHeadBytes, this.nanoTime);
	}

}
