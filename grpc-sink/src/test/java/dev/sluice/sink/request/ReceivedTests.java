package dev.sluice.sink.request;

import com.google.protobuf.ByteString;
import dev.sluice.sink.sequence.ClientSession;
import dev.sluice.sink.sequence.Fence;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ReceivedTests {

	private static final ClientSession SESSION = new ClientSession(ByteString.copyFromUtf8("session-a"), 1, 0);

	@Test
	void takesMemoryForItsIdItsKeyAndItsPayload() {
		assertThat(message("", 0, null).memoryBytes()).isEqualTo(144 + 2 + 100);
		assertThat(message("key", 0, null).memoryBytes()).isEqualTo(144 + 2 + 48 + 3 + 100);
	}

	@Test
	void hasAPlaceWithASequenceInASession() {
		Fence fence = new Fence();

		assertThat(message("", 1, SESSION).place(fence)).satisfies((place) -> {
			assertThat(place.session()).isEqualTo(SESSION);
			assertThat(place.sequence()).isOne();
			assertThat(place.fence()).isSameAs(fence);
		});
		assertThat(message("", 0, SESSION).place(fence)).isNull();
		assertThat(message("", 1, null).place(fence)).isNull();
	}

	@Test
	void isOfTheSessionOfItsStreamIfItSaysNone() {
		ClientSession another = new ClientSession(ByteString.copyFromUtf8("session-b"), 1, 0);

		assertThat(message("", 1, null).of(SESSION).session()).isEqualTo(SESSION);
		assertThat(message("", 1, another).of(SESSION).session()).isEqualTo(another);
		assertThat(message("", 0, null).of(SESSION).session()).isNull();
	}

	private static Received.Message message(String key, long sequence, @Nullable ClientSession session) {
		return new Received.Message(ByteString.copyFromUtf8("id"), ByteString.copyFromUtf8(key), Received.Kind.PLAIN,
				new byte[100], sequence, session);
	}

}
