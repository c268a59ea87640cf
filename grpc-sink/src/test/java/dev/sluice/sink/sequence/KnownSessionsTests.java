package dev.sluice.sink.sequence;

import java.time.Duration;

import com.google.protobuf.ByteString;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class KnownSessionsTests {

	private static final long AGE = Duration.ofDays(1).toMillis();

	private final KnownSessions sessions = new KnownSessions(2, Duration.ofDays(1));

	@Test
	void refusesASessionThatItMayHaveForgotten() {
		assertThat(this.sessions.of(session("a", AGE), 0)).isNotNull();

		assertThatExceptionOfType(SessionForgottenException.class)
			.isThrownBy(() -> this.sessions.of(session("b", AGE + 1), 0));
	}

	@Test
	void knowsASessionHoweverOldItsMessagesAre() {
		this.sessions.of(session("a", 0), 0);

		assertThat(this.sessions.of(session("a", 100 * AGE), AGE)).isNotNull();
	}

	@Test
	void hasNoRoomForAThirdUntilOneIsOldEnoughToForget() {
		this.sessions.of(session("a", 0), 0);
		this.sessions.of(session("b", 0), 10);

		assertThat(this.sessions.of(session("c", 0), AGE)).isNull();
		assertThat(this.sessions.of(session("c", 0), AGE + 1)).isNotNull();
		assertThat(this.sessions.known(session("a", 0).id())).as("the oldest").isNull();
		assertThat(this.sessions.size()).isEqualTo(2);
	}

	private static ClientSession session(String name, long ageMillis) {
		return new ClientSession(ByteString.copyFromUtf8(name.repeat(8)), 1, ageMillis);
	}

}
