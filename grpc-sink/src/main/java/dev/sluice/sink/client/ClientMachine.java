package dev.sluice.sink.client;

import java.util.List;

/**
 * The client's side of a connection as a table: the effects and the next state for each
 * event in each state. It is pure; {@link SinkConnection} performs the effects. The
 * diagram in {@code docs/sink-machines.md} is generated from it.
 */
final class ClientMachine {

	private ClientMachine() {
	}

	/** How many messages are in flight. */
	enum State {

		/** None. */
		IDLE,

		/** Some, fewer than the window. */
		SENDING,

		/** As many as the window, or more after it has shrunk. */
		BLOCKED

	}

	/** What happens to a connection. */
	enum Event {

		/** The session has a message to send, and the window has room. */
		SEND,

		/** The sink has acknowledged or refused a message. */
		ACK,

		/** A message in flight was not acknowledged in time. */
		TIMEOUT,

		/** The size of the window has changed. */
		WINDOW,

		/** The stream has ended. */
		DISCONNECTED

	}

	/** How many messages are in flight once the event has happened. */
	enum Fill {

		/** None. */
		NONE,

		/** Some, fewer than the window. */
		SOME,

		/** As many as the window or more. */
		FULL;

		static Fill of(int inFlight, int window) {
			return (inFlight == 0) ? NONE : (inFlight < window) ? SOME : FULL;
		}

	}

	/** What {@link SinkConnection} does about an event. */
	enum Effect {

		/** Send the message, count it as in flight, start its timeout. */
		TRANSMIT,

		/** The message is no longer in flight: settle it. */
		SETTLE,

		/** The message is no longer in flight: send it again before new ones. */
		RESCHEDULE,

		/** Send all messages in flight again, in order, before new ones. */
		RESCHEDULE_ALL

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

	/** Whether an event can happen, and leave this many messages in flight. */
	static boolean possible(State state, Event event, Fill after) {
		return switch (event) {
			case SEND -> state != State.BLOCKED && after != Fill.NONE;
			case ACK -> switch (state) {
				// Of a message that has timed out.
				case IDLE -> after == Fill.NONE;
				case SENDING -> after != Fill.FULL;
				case BLOCKED -> true;
			};
			case TIMEOUT -> switch (state) {
				case IDLE -> false;
				case SENDING -> after != Fill.FULL;
				case BLOCKED -> true;
			};
			case WINDOW -> (state == State.IDLE) == (after == Fill.NONE);
			case DISCONNECTED -> after == Fill.NONE;
		};
	}

	/**
	 * Looks up one cell of the table.
	 * @throws IllegalStateException if the event cannot leave this many messages in
	 * flight
	 */
	static Step step(State state, Event event, Fill after) {
		if (!possible(state, event, after)) {
			throw new IllegalStateException("%s while %s cannot leave %s in flight".formatted(event, state, after));
		}
		State next = switch (after) {
			case NONE -> State.IDLE;
			case SOME -> State.SENDING;
			case FULL -> State.BLOCKED;
		};
		return switch (event) {
			case SEND -> Step.of(next, Effect.TRANSMIT);
			case ACK -> Step.of(next, Effect.SETTLE);
			case TIMEOUT -> Step.of(next, Effect.RESCHEDULE);
			case WINDOW -> Step.of(next);
			case DISCONNECTED -> Step.of(next, Effect.RESCHEDULE_ALL);
		};
	}

}
