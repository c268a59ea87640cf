package dev.sluice.sink.client;

import java.util.List;

/**
 * The client's side of a connection as a table: what is to be done, and what comes next,
 * for each event in each state. Pure; {@link Lane} does what it says. The diagram in
 * {@code docs/sink-machines.md} is made from it.
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

		/** As many as the window, or more where it has shrunk. */
		BLOCKED

	}

	/** What happens. */
	enum Event {

		/** A message is to be sent. */
		SEND,

		/** The sink has a message, or will never take it. */
		ACK,

		/** A message in flight was not acknowledged in time. */
		TIMEOUT,

		/** The window is another one. */
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

	/** What is to be done. */
	enum Effect {

		/** Send the message, count it as in flight, start its time. */
		TRANSMIT,

		/** Leave the message in the spool; its turn will come. */
		POSTPONE,

		/** It is in flight no more; mark it as sent. */
		SETTLE,

		/** It is in flight no more; it is to be sent again before all others. */
		RESCHEDULE,

		/**
		 * All that was in flight is to be sent again, in its order, before all others.
		 */
		RESCHEDULE_ALL,

		/** Send what was postponed, as far as the window allows. */
		SEND_POSTPONED

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

	/** Whether an event can leave so many in flight. */
	static boolean possible(State state, Event event, Fill after) {
		return switch (event) {
			case SEND -> (state == State.BLOCKED) ? after == Fill.FULL : after != Fill.NONE;
			case ACK, TIMEOUT -> switch (state) {
				case IDLE -> after == Fill.NONE;
				case SENDING -> after != Fill.FULL;
				case BLOCKED -> true;
			};
			case WINDOW -> (state == State.IDLE) == (after == Fill.NONE);
			case DISCONNECTED -> after == Fill.NONE;
		};
	}

	/**
	 * One cell of the table.
	 * @throws IllegalStateException if the event cannot leave so many in flight
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
		return switch (state) {
			case IDLE -> switch (event) {
				case SEND -> Step.of(next, Effect.TRANSMIT);
				// Of one that timed out before.
				case ACK -> Step.of(next, Effect.SETTLE);
				case TIMEOUT, WINDOW, DISCONNECTED -> Step.of(next);
			};
			case SENDING -> switch (event) {
				case SEND -> Step.of(next, Effect.TRANSMIT);
				case ACK -> Step.of(next, Effect.SETTLE);
				case TIMEOUT -> Step.of(next, Effect.RESCHEDULE, Effect.SEND_POSTPONED);
				case WINDOW -> Step.of(next);
				case DISCONNECTED -> Step.of(next, Effect.RESCHEDULE_ALL);
			};
			case BLOCKED -> switch (event) {
				case SEND -> Step.of(next, Effect.POSTPONE);
				case ACK -> Step.of(next, Effect.SETTLE, Effect.SEND_POSTPONED);
				case TIMEOUT -> Step.of(next, Effect.RESCHEDULE, Effect.SEND_POSTPONED);
				case WINDOW -> Step.of(next, Effect.SEND_POSTPONED);
				case DISCONNECTED -> Step.of(next, Effect.RESCHEDULE_ALL);
			};
		};
	}

}
