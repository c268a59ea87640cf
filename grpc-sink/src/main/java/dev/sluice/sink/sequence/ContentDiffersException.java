package dev.sluice.sink.sequence;

/** A message with the same sequence or id and other content is already stored. */
public final class ContentDiffersException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	public ContentDiffersException(long sequence) {
		super("Another message of the session has the sequence " + Long.toUnsignedString(sequence));
	}

	/** For a message without a sequence. */
	public ContentDiffersException() {
		super("Another message has the same id, with another payload or key; give each message its own id");
	}

}
