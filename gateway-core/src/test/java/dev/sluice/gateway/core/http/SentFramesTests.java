package dev.sluice.gateway.core.http;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class SentFramesTests {

	private static final int DATA = 0;

	private static final int HEADERS = 1;

	private static final int RST_STREAM = 3;

	private static final int GOAWAY = 7;

	private final List<Integer> errors = new ArrayList<>();

	private final SentFrames frames = new SentFrames(this.errors::add);

	/** Works with any split of the frames into pieces. */
	@ParameterizedTest
	@ValueSource(ints = { 1, 2, 5, 9, 13, 100_000 })
	void tellsTheErrorsOfStreamsAndConnections(int size) {
		ByteBuffer sent = ByteBuffer.allocate(100_000);
		// A body may look like a reset.
		frame(sent, DATA, new byte[] { 0, 0, 4, RST_STREAM, 0, 0, 0, 0, 1, 0, 0, 0, 9 });
		frame(sent, RST_STREAM, new byte[] { 0, 0, 0, 7 });
		frame(sent, DATA, new byte[70_000]);
		frame(sent, HEADERS, new byte[0]);
		frame(sent, GOAWAY, new byte[] { 0, 0, 0, 5, 0, 0, 0, 1 });
		frame(sent, RST_STREAM, new byte[] { 0, 0, 0, 0 });
		frame(sent, GOAWAY, new byte[] { 0, 0, 0, 5, 0, 0, 0, 11, 'w', 'h', 'y' });
		frame(sent, RST_STREAM, new byte[] { 0, 0, 0, 8 });
		sent.flip();

		while (sent.hasRemaining()) {
			ByteBuffer piece = sent.slice(sent.position(), Math.min(size, sent.remaining()));
			sent.position(sent.position() + piece.remaining());
			this.frames.inspect(piece);
			assertThat(piece.hasRemaining()).isFalse();
		}

		assertThat(this.errors).containsExactly(7, 1, 0, 11, 8);
	}

	private static void frame(ByteBuffer target, int type, byte[] payload) {
		target.put((byte) (payload.length >> 16)).putShort((short) payload.length);
		target.put((byte) type).put((byte) 0).putInt(1).put(payload);
	}

}
