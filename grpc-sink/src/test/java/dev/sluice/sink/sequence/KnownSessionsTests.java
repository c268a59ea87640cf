package dev.sluice.sink.sequence;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import com.google.protobuf.ByteString;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.entry;

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

	@Test
	void forgetsTheOneThatWasIdleLongestAndNotTheFirst() {
		this.sessions.of(session("a", 0), 0);
		this.sessions.of(session("b", 0), 10);
		this.sessions.of(session("a", 0), 20);

		assertThat(this.sessions.of(session("c", 0), AGE + 10)).isNull();
		assertThat(this.sessions.of(session("c", 0), AGE + 11)).isNotNull();

		assertThat(this.sessions.known(session("a", 0).id())).isNotNull();
		assertThat(this.sessions.known(session("b", 0).id())).isNull();
	}

	@Test
	void aSessionBeginsWhereItsClientSays() {
		SessionState state = this.sessions.of(new ClientSession(session("a", 0).id(), 100, 0), 0);

		assertThat(state.end()).isEqualTo(100);
		assertThat(state.offer(99, 0)).as("nothing new comes below").isEqualTo(SessionState.Verdict.REPEAT);
		assertThat(this.sessions.of(session("a", 0), 0)).isSameAs(state);
	}

	@Test
	void takesWhatTheStorageHasWithTheTimeOfTheLastMessage() {
		ClientSession session = session("a", 0);
		this.sessions.found(session.id(), 1, 7, 30);
		this.sessions.found(session.id(), 2, 8, 20);
		this.sessions.put(session("b", 0).id(), new SessionState(), 5);

		Map<ByteString, Long> storedMillis = new HashMap<>();
		this.sessions.forEach((id, _, millis) -> storedMillis.put(id, millis));

		assertThat(storedMillis).containsOnly(entry(session.id(), 30L), entry(session("b", 0).id(), 5L));
		assertThat(this.sessions.of(session, 40).offer(1, 7)).isEqualTo(SessionState.Verdict.REPEAT);
		assertThat(this.sessions.of(session, 40).offer(2, 9)).isEqualTo(SessionState.Verdict.DIFFERENT);
		assertThat(this.sessions.known(session("c", 0).id())).isNull();
	}

	@Test
	void hasNoRoomAtAllIfItMayKnowNone() {
		assertThat(new KnownSessions(0, Duration.ofDays(1)).of(session("a", 0), 100 * AGE)).isNull();
	}

	private static ClientSession session(String name, long ageMillis) {
		return new ClientSession(ByteString.copyFromUtf8(name.repeat(8)), 1, ageMillis);
	}

}
