package dev.sluice.lab.sink;

import java.io.IOException;
import java.time.Duration;

import dev.sluice.devservices.JavaProcess;

/**
 * A thin link to a sink of this machine: bytes come out at its other end after half the
 * round trip, and no faster than its rate, each direction for itself.
 */
interface SinkLink extends AutoCloseable {

	/**
	 * What it is like.
	 *
	 * @param bitsPerSecond each way
	 * @param roundTrip of a bit
	 */
	record Character(long bitsPerSecond, Duration roundTrip) {

		double nanosPerByte() {
			return 8e9 / this.bitsPerSecond;
		}

		long delayNanos() {
			return this.roundTrip.toNanos() / 2;
		}

	}

	/** How a link is made. */
	enum Kind {

		/** By devices where that can be, else by a proxy. */
		AUTO,

		/** By devices. */
		TUN,

		/** By a proxy. */
		PROXY

	}

	/**
	 * A link of a kind.
	 * @throws IOException if it cannot be made
	 */
	static SinkLink open(Kind kind, Character character, int sinkPort) throws IOException {
		return switch (kind) {
			case TUN -> new TunLink(character, sinkPort);
			case PROXY -> new ProxyLink(character, sinkPort, "");
			case AUTO -> {
				try {
					yield new TunLink(character, sinkPort);
				}
				catch (IOException ex) {
					yield new ProxyLink(character, sinkPort, " (no device: %s)".formatted(ex.getMessage()));
				}
			}
		};
	}

	/** The address where the sink must listen to be reached over the link. */
	String sinkAddress();

	/** Where a client at the other end finds the sink, {@code host:port}. */
	String target();

	/** Starts a client at the other end, and does not wait. */
	JavaProcess launch(JavaProcess.Builder client);

	/** What it is, for the report. */
	String words();

	@Override
	void close() throws IOException;

}
