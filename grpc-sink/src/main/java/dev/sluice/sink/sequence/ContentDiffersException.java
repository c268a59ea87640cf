package dev.sluice.sink.sequence;

/** The session has stored another message with the sequence. */
public final class ContentDiffersException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	public ContentDiffersException(long sequence) {
		super("Another message of the session has the sequence " + Long.toUnsignedString(sequence));
	}

}
