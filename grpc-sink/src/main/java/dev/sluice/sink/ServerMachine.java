package dev.sluice.sink;

import java.util.List;

/**
 * The server's side of a connection as a table: what is to be done, and what comes next,
 * for each event in each state. Pure; {@link SinkStream} does what it says. The diagram
 * in {@code docs/sink-machines.md} is made from it.
 */
final class ServerMachine {

	private ServerMachine() {
	}

	/** Of a connection's queue. */
	enum State {

		/** The queue has room for another message. */
		HAS_CAPACITY,

		/** The queue has no room. */
		FULL

	}

	/** What happens to a connection. */
	enum Event {

		/** A message came, and room is left behind it. */
		RECEIVED,

		/** A message came, and no room is left behind it. */
		RECEIVED_LAST,

		/** The storage is ready for the next message. */
		STORAGE_READY

	}

	/** What is to be done. */
	enum Effect {

		/** Put the message at the end of the queue. */
		ENQUEUE,

		/** Forget the message at the head of the queue. */
		DROP_OLDEST,

		/** Tell the client the queue's capacity. */
		TELL_CAPACITY,

		/** Hand the message at the head of the queue, if any, to the storage. */
		FORWARD_OLDEST

	}

	/**
	 * What an event comes to.
	 *
	 * @param next the state from then on
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
				case RECEIVED_LAST -> Step.of(State.FULL, Effect.ENQUEUE, Effect.TELL_CAPACITY);
				case STORAGE_READY -> Step.of(State.HAS_CAPACITY, Effect.FORWARD_OLDEST);
			};
			case FULL -> switch (event) {
				case RECEIVED, RECEIVED_LAST ->
					Step.of(State.FULL, Effect.DROP_OLDEST, Effect.ENQUEUE, Effect.TELL_CAPACITY);
				case STORAGE_READY -> Step.of(State.HAS_CAPACITY, Effect.FORWARD_OLDEST);
			};
		};
	}

}
