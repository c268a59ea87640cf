package dev.sluice.lab.kit.result;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonTypeName;

/**
 * Results of moving the same data to the sink in several ways.
 *
 * @param megabytes data of a transfer, not over the thin link, in 10^6 bytes
 * @param storeDelayMillis added to the storage where it is the bottleneck
 * @param transfers in order of execution
 */
@JsonTypeName("sink")
public record SinkResult(int megabytes, double storeDelayMillis, List<Transfer> transfers) implements Finding {

	public SinkResult {
		transfers = List.copyOf(transfers);
	}

	/** The bottleneck. */
	public enum Setting {

		/** Each message takes the storage a long time. */
		STORAGE("the storage's latency binds"),

		/** The link is thin. */
		LINK("a thin link binds"),

		/** Nothing but the machine. */
		LOOPBACK("nothing but the machine binds");

		private final String words;

		Setting(String words) {
			this.words = words;
		}

		public String words() {
			return this.words;
		}

	}

	/** How the data is moved. */
	public enum Mode {

		/** A call for each message, and the next one after its answer; 54 connections. */
		STOP_AND_WAIT("stop and wait, 54 connections"),

		/** The stream, messages as they are. */
		STREAM("stream"),

		/** The stream, compressed. */
		STREAM_ZSTD("stream, zstd"),

		/** The stream, compressed with a dictionary. */
		STREAM_DICTIONARY("stream, zstd + dictionary"),

		/** The stream, from a spool on the disk. */
		STREAM_SPOOL("stream from the spool"),

		/** Kafka's own producer into the same topic: what the sink's storage can take. */
		KAFKA("Kafka's producer");

		private final String words;

		Mode(String words) {
			this.words = words;
		}

		public String words() {
			return this.words;
		}

	}

	/**
	 * One transfer, from the first message sent until the last was stored and
	 * acknowledged.
	 *
	 * @param setting the bottleneck
	 * @param mode how the data was moved
	 * @param repetition from 1
	 * @param connections TCP
	 * @param bytes of data
	 * @param wireBytes sent by the client, without headers of HTTP/2, TCP and IP; 0 =
	 * unknown
	 * @param seconds its duration
	 * @param clientCpuSeconds CPU time of the client
	 * @param sinkCpuSeconds CPU time of the sink; 0 = it took no part
	 */
	public record Transfer(Setting setting, Mode mode, int repetition, int connections, long messages, long bytes,
			long wireBytes, double seconds, double clientCpuSeconds, double sinkCpuSeconds) {

		/** Data per time, in MB of 10^6 bytes per second. */
		public double megabytesPerSecond() {
			return this.bytes / this.seconds / 1e6;
		}

		/**
		 * CPU time of client and sink per data, in milliseconds for a MB of 10^6 bytes.
		 */
		public double cpuMillisPerMegabyte() {
			return (this.clientCpuSeconds + this.sinkCpuSeconds) * 1_000 / (this.bytes / 1e6);
		}

		public double messagesPerSecond() {
			return this.messages / this.seconds;
		}

	}

}
