package dev.sluice.sink.sequence;

/**
 * Where a message stands: a repeat has the same place and the same content.
 *
 * @param session whose message it is
 * @param sequence its number in the session, from 1
 * @param fence of the stream that it came on
 */
public record Place(ClientSession session, long sequence, Fence fence) {

	/** The place of a message that came alone. */
	public Place(ClientSession session, long sequence) {
		this(session, sequence, new Fence());
	}

}
