package dev.sluice.sink.reader;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Reads stored messages, in the order of their partition or log. Confined to one thread.
 * To read until the end, go on while there is a message or a {@link #lag}.
 */
public interface SinkReader extends AutoCloseable {

	/**
	 * The next message.
	 * @param wait for one if there is none
	 * @return null if none has come
	 * @throws ReadFailedException if the storage cannot be read now
	 */
	@Nullable StoredMessage next(Duration wait) throws InterruptedException;

	/**
	 * How much is stored and not read yet: offsets of the topic, which are messages and
	 * the ends of transactions, or bytes of the log. 0 = all is read.
	 * @throws ReadFailedException if the storage does not say
	 */
	long lag();

	@Override
	void close();

	/** The storage cannot be read. */
	final class ReadFailedException extends RuntimeException {

		private static final long serialVersionUID = 1L;

		public ReadFailedException(String message, Throwable cause) {
			super(message, cause);
		}

	}

}
