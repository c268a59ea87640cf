package dev.sluice.sink.sequence;

/**
 * The position of a message in its session. A repeat has the same session, sequence and
 * content.
 *
 * @param session session of the message
 * @param sequence number of the message in the session, from 1
 * @param fence fence of the stream that the message came on
 */
public record Place(ClientSession session, long sequence, Fence fence) {

	/** Whether its client has not sent the message before. */
	public boolean isNew() {
		return this.session.firstNew() > 0 && this.sequence >= this.session.firstNew();
	}

}
