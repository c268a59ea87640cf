package dev.sluice.sink.client.spool;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes to a spool's queue, and logs when writing starts to fail and when it works
 * again. Confined to the spool's writer.
 */
final class SpoolWrites {

	private static final Logger logger = LoggerFactory.getLogger(SpoolWrites.class);

	/** Time between two attempts to write data that no caller waits for. */
	private static final Duration RETRY = Duration.ofMillis(250);

	private static final long LITTLE_BYTES = 1024 * 1024;

	private final SegmentQueue queue;

	private final Path directory;

	private final LongSupplier nanoTime;

	private @Nullable IOException failure;

	private long failedAt;

	/** Appends to a queue, all or nothing. */
	@FunctionalInterface
	interface Batch {

		void append() throws IOException;

	}

	SpoolWrites(SegmentQueue queue, Path directory, LongSupplier nanoTime) {
		this.queue = queue;
		this.directory = directory;
		this.nanoTime = nanoTime;
	}

	/** Whether the last write failed. */
	boolean failing() {
		return this.failure != null;
	}

	/** Whether to try to write data that no caller waits for. */
	boolean due() {
		return this.failure == null || this.nanoTime.getAsLong() - this.failedAt >= RETRY.toNanos();
	}

	/**
	 * Commits a batch, or rolls it back.
	 * @return the exception for the callers that wait for it; null if it is committed
	 */
	@Nullable RuntimeException write(Batch batch) {
		try {
			this.queue.begin();
			batch.append();
			this.queue.commit();
		}
		catch (IOException ex) {
			return failed(ex);
		}
		if (this.failure != null) {
			this.failure = null;
			logger.info("The spool {} can be written again", this.directory);
		}
		return null;
	}

	private RuntimeException failed(IOException cause) {
		if (this.failure == null) {
			logger.error("The spool {} cannot be written; sending fails until it can: {}", this.directory,
					cause.toString());
		}
		this.failure = cause;
		this.failedAt = this.nanoTime.getAsLong();
		try {
			this.queue.rollBack();
		}
		catch (IOException ex) {
			cause.addSuppressed(ex);
			return new SpoolFailedException(
					"The messages could not be written, but may still be delivered after a restart: " + cause, cause);
		}
		return isFull(cause)
				? new SpoolFullException("The disk of the spool %s is full; send again when there is room (%s)"
					.formatted(this.directory, cause.getMessage()), cause)
				: new SpoolFailedException("The messages could not be written and will not be sent: " + cause, cause);
	}

	/** The message is the only hint at the reason, and it may be in any language. */
	private boolean isFull(IOException cause) {
		String words = String.valueOf(cause.getMessage());
		if (words.contains("No space left") || words.contains("quota")) {
			return true;
		}
		try {
			return Files.getFileStore(this.directory).getUsableSpace() < LITTLE_BYTES;
		}
		catch (IOException _) {
			return false;
		}
	}

}
