package dev.sluice.sink.client;

/** A window of a fixed size. */
record FixedWindow(int size) implements Window {

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
