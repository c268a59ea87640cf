package dev.sluice.sink.client;

/** How many messages may be in flight. Confined to one thread. */
sealed interface Window permits FixedWindow, AdaptiveWindow {

	/** How many now; at least 1. */
	int size();

	/**
	 * A message is about to be sent.
	 * @param nanos when
	 * @param inFlight messages in flight before it
	 * @param scarce whether none waits behind it, so that the sender and not the window
	 * is what limits the rate
	 */
	Flight sent(long nanos, int inFlight, boolean scarce);

	/** Its acknowledgement came, with that of {@code together - 1} others. */
	void acked(Flight flight, long nanos, int together);

	/** Its acknowledgement did not come in time. */
	void lost(Flight flight, long nanos);

	/** What is remembered of a message in flight. */
	record Flight(long sentAt, long delivered, long deliveredAt, long firstSentAt, boolean scarce) {
	}

}
