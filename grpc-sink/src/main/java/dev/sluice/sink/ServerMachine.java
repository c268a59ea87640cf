package dev.sluice.sink;

import java.util.List;

/**
 * The server's side of a connection as a table: the effects and the next state for each
 * event in each state. It is pure; {@link SinkStream} performs the effects. The diagram
 * in {@code docs/sink-machines.md} is generated from it.
 */
final class ServerMachine {

	private ServerMachine() {
	}

	/** The state of a connection's queue. */
	enum State {

		/** The queue has room for another message. */
		HAS_CAPACITY,

		/** The queue has no room. */
		FULL

	}

	/** What happens to a connection. */
	enum Event {

		/** A message came, and the queue has room for another. */
		RECEIVED,

		/** A message came, and the queue has no room for another. */
		RECEIVED_LAST,

		/** The storage is ready for the next message. */
		STORAGE_READY

	}

	/** What {@link SinkStream} does about an event. */
	enum Effect {

		/** Put the message at the end of the queue. */
		ENQUEUE,

		/** Drop the message at the head of the queue. */
		DROP_OLDEST,

		/** Report the queue's capacity to the client. */
		REPORT_CAPACITY,

		/** Hand the message at the head of the queue, if any, to the storage. */
		FORWARD_OLDEST

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
		return switch (state) {
			case HAS_CAPACITY -> switch (event) {
				case RECEIVED -> Step.of(State.HAS_CAPACITY, Effect.ENQUEUE);
				case RECEIVED_LAST -> Step.of(State.FULL, Effect.ENQUEUE, Effect.REPORT_CAPACITY);
				case STORAGE_READY -> Step.of(State.HAS_CAPACITY, Effect.FORWARD_OLDEST);
			};
			case FULL -> switch (event) {
				case RECEIVED, RECEIVED_LAST ->
					Step.of(State.FULL, Effect.DROP_OLDEST, Effect.ENQUEUE, Effect.REPORT_CAPACITY);
				case STORAGE_READY -> Step.of(State.HAS_CAPACITY, Effect.FORWARD_OLDEST);
			};
		};
	}

}
