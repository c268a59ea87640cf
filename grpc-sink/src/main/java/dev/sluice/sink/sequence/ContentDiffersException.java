package dev.sluice.sink.sequence;

/** Another message with the sequence or the id is stored. */
public final class ContentDiffersException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	public ContentDiffersException(long sequence) {
		super("Another message of the session has the sequence " + Long.toUnsignedString(sequence));
	}

	/** For a message without a sequence. */
	public ContentDiffersException() {
		super("Another message has the id, with another payload or key; give each message an id of its own");
	}

}
