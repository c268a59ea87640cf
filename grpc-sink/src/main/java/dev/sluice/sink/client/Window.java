package dev.sluice.sink.client;

/** The maximum number of messages in flight. Not thread-safe. */
sealed interface Window permits Window.Fixed, AdaptiveWindow {

	/** The current maximum, at least 1. */
	int size();

	/**
	 * Notes that a message is about to be sent.
	 * @param nanos current time
	 * @param inFlight messages in flight before it
	 * @param scarce whether no other message waits, so that the sender and not the window
	 * limits the rate
	 */
	Flight sent(long nanos, int inFlight, boolean scarce);

	/** Notes an acknowledgement, which came with those of {@code together - 1} others. */
	void acked(Flight flight, long nanos, int together);

	/** Notes that an acknowledgement did not come in time. */
	void lost(Flight flight, long nanos);

	/** The state of the window when a message was sent. */
	record Flight(long sentAt, long delivered, long deliveredAt, long firstSentAt, boolean scarce) {
	}

	/** A window of a fixed size. */
	record Fixed(int size) implements Window {

		@Override
		public Flight sent(long nanos, int inFlight, boolean scarce) {
			return new Flight(nanos, 0, 0, 0, scarce);
		}

		@Override
		public void acked(Flight flight, long nanos, int together) {
		}

		@Override
		public void lost(Flight flight, long nanos) {
		}

	}

}
