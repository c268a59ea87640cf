package dev.sluice.sink;

import java.util.List;

/**
 * The server's side of a stream as a table: the effects and the next state for each event
 * in each state. It is pure; {@link SinkStream} performs the effects. The diagram in
 * {@code docs/sink-machines.md} is generated from it.
 */
final class ServerMachine {

	private ServerMachine() {
	}

	/** The course of a stream. */
	enum Phase {

		/** Messages are accepted. */
		OPEN,

		/** No more messages are accepted; some are not stored or acknowledged yet. */
		ENDING,

		/** All responses are written; the client may not have read them. */
		ENDED,

		/** The transport is done with the call. */
		CLOSED

	}

	/**
	 * The state of a stream.
	 *
	 * @param owing whether acknowledgements wait for others to share their response, and
	 * a timer runs for them
	 */
	record State(Phase phase, boolean owing) {

		static final State INITIAL = new State(Phase.OPEN, false);

		/** Whether messages are accepted. */
		boolean isOpen() {
			return this.phase == Phase.OPEN;
		}

		/** Whether responses are written. */
		boolean isAnswering() {
			return isOpen() || this.phase == Phase.ENDING;
		}

		private State to(Phase next) {
			return new State(next, this.owing);
		}

	}

	/** What happens to a stream. */
	enum Event {

		/** A message came, and the queue has room for another. */
		RECEIVED,

		/** A message came, and the queue has no room for another. */
		RECEIVED_LAST,

		/** A message came, and the queue had no room for it. */
		RECEIVED_TOO_MANY,

		/** The storage has room for the next message. */
		STORAGE_READY,

		/** Messages were stored, and others that may share their response are not. */
		STORED,

		/** Messages were stored or refused, and what is owed must not wait. */
		STORED_BATCH,

		/** Messages were stored or refused, and none is in process any more. */
		STORED_ALL,

		/**
		 * An acknowledgement has waited long enough, or the client is ready to read.
		 */
		DUE,

		/** No more messages will be accepted, and some are in process. */
		NO_MORE,

		/** No more messages will be accepted, and none is in process. */
		NO_MORE_AT_ALL,

		/** The stream cannot go on. */
		FAILED,

		/** The client has read the end, or has disconnected. */
		CLOSED

	}

	/** What {@link SinkStream} does about an event. */
	enum Effect {

		/** Put the message at the end of the queue. */
		ENQUEUE,

		/** Drop the message at the head of the queue. */
		DROP_OLDEST,

		/** Report the queue's capacity to the client. */
		REPORT_CAPACITY,

		/** Hand the message at the head of the queue to the storage. */
		FORWARD_OLDEST,

		/** Owe the client an acknowledgement of each message that was stored. */
		ACKNOWLEDGE,

		/** Start the timer of the oldest acknowledgement. */
		START_TIMER,

		/** Write what is owed, while the client is ready to read. */
		FLUSH,

		/** Write all that is owed, and end the call. */
		END,

		/** Drop what is in the queue and not written, and wait for nothing more. */
		FORGET,

		/** Return what the stream had of the sink's limits. */
		RELEASE

	}

	/**
	 * The result of an event.
	 *
	 * @param next the next state
	 * @param effects to be done, in this order
	 */
	record Step(State next, List<Effect> effects) {

		static Step of(State next, Effect... effects) {
			return new Step(next, List.of(effects));
		}

	}

	static Step step(State state, Event event) {
		return switch (state.phase()) {
			case OPEN -> switch (event) {
				case RECEIVED -> Step.of(state, Effect.ENQUEUE);
				case RECEIVED_LAST -> Step.of(state, Effect.ENQUEUE, Effect.REPORT_CAPACITY);
				case RECEIVED_TOO_MANY -> Step.of(state, Effect.DROP_OLDEST, Effect.ENQUEUE, Effect.REPORT_CAPACITY);
				case STORAGE_READY -> Step.of(state, Effect.FORWARD_OLDEST);
				case STORED, STORED_BATCH, STORED_ALL, DUE, NO_MORE, NO_MORE_AT_ALL, FAILED, CLOSED ->
					answering(state, event);
			};
			case ENDING -> switch (event) {
				case RECEIVED, RECEIVED_LAST, RECEIVED_TOO_MANY -> Step.of(state);
				case STORAGE_READY -> Step.of(state, Effect.FORWARD_OLDEST);
				case STORED_ALL ->
					Step.of(new State(Phase.ENDED, false), Effect.ACKNOWLEDGE, Effect.END, Effect.FORGET);
				case STORED, STORED_BATCH, DUE, NO_MORE, NO_MORE_AT_ALL, FAILED, CLOSED -> answering(state, event);
			};
			case ENDED -> switch (event) {
				case CLOSED -> Step.of(state.to(Phase.CLOSED), Effect.RELEASE);
				case RECEIVED, RECEIVED_LAST, RECEIVED_TOO_MANY, STORAGE_READY, STORED, STORED_BATCH, STORED_ALL, DUE,
						NO_MORE, NO_MORE_AT_ALL, FAILED ->
					Step.of(state);
			};
			case CLOSED -> Step.of(state);
		};
	}

	/** What is the same however many messages may still come. */
	private static Step answering(State state, Event event) {
		State flushed = new State(state.phase(), false);
		State ended = new State(Phase.ENDED, false);
		return switch (event) {
			case STORED -> state.owing() ? Step.of(state, Effect.ACKNOWLEDGE)
					: Step.of(new State(state.phase(), true), Effect.ACKNOWLEDGE, Effect.START_TIMER);
			case STORED_BATCH, STORED_ALL -> Step.of(flushed, Effect.ACKNOWLEDGE, Effect.FLUSH);
			case DUE -> Step.of(flushed, Effect.FLUSH);
			case NO_MORE -> Step.of(flushed.to(Phase.ENDING), Effect.FLUSH);
			case NO_MORE_AT_ALL -> Step.of(ended, Effect.END, Effect.FORGET);
			case FAILED -> Step.of(ended, Effect.ACKNOWLEDGE, Effect.END, Effect.FORGET);
			case CLOSED -> Step.of(ended.to(Phase.CLOSED), Effect.FORGET, Effect.RELEASE);
			case RECEIVED, RECEIVED_LAST, RECEIVED_TOO_MANY, STORAGE_READY ->
				throw new IllegalArgumentException(event.name());
		};
	}

}
