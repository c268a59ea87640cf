package dev.sluice.sink.reader;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Reads stored messages in the order of their partition or log. Not thread-safe. To read
 * to the end, continue while there is a message or a {@link #lag}.
 */
public interface SinkReader extends AutoCloseable {

	/**
	 * The next message.
	 * @param wait maximum time to wait for a message
	 * @return null if there was none in that time
	 * @throws ReadFailedException if the storage cannot be read now
	 */
	@Nullable StoredMessage next(Duration wait) throws InterruptedException;

	/**
	 * How much is stored and not yet read, in offsets of the topic (messages and
	 * transaction markers) or in bytes of the log. 0 = everything is read.
	 * @throws ReadFailedException if the storage cannot be asked now
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
