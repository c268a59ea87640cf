package dev.sluice.sink.client.spool;

import com.google.protobuf.ByteString;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNoException;

class MessageTests {

	@Test
	void hasAnIdOfOneToSixtyFourBytesOrNone() {
		assertThatNoException().isThrownBy(() -> message(null, 0));
		assertThatNoException().isThrownBy(() -> message(1, 0));
		assertThatNoException().isThrownBy(() -> message(64, 0));
		assertThatIllegalArgumentException().isThrownBy(() -> message(0, 0)).withMessageContaining("1 to 64 bytes");
		assertThatIllegalArgumentException().isThrownBy(() -> message(65, 0)).withMessageContaining("this one has 65");
	}

	@Test
	void hasAKeyOfNoMoreThanAHundredAndTwentyEightBytes() {
		assertThatNoException().isThrownBy(() -> message(1, 128));
		assertThatIllegalArgumentException().isThrownBy(() -> message(1, 129))
			.withMessageContaining("this one has 129");
	}

	private static Message message(@Nullable Integer idBytes, int keyBytes) {
		return new Message((idBytes != null) ? ByteString.copyFrom(new byte[idBytes]) : null, new byte[1],
				ByteString.copyFrom(new byte[keyBytes]));
	}

}
