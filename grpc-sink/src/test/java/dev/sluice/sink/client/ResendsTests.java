package dev.sluice.sink.client;

import com.google.protobuf.ByteString;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ResendsTests {

	private static final ByteString ID = ByteString.copyFromUtf8("id");

	private final Resends resends = new Resends();

	@Test
	void aMessageThatIsSentAgainIsNoLongerKnownByItsId() {
		this.resends.add(ID, 1);

		assertThat(this.resends.remove(1)).isTrue();

		assertThat(this.resends.remove(ID)).isNull();
		assertThat(this.resends.remove(1)).isFalse();
	}

	@Test
	void isEmptyOnceItIsCleared() {
		this.resends.add(ID, 1);

		this.resends.clear();

		assertThat(this.resends.isEmpty()).isTrue();
		assertThat(this.resends.remove(ID)).isNull();
	}

}
