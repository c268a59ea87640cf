package dev.sluice.lab.proof;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;

import dev.sluice.lab.proof.RawConnection.Reply;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RepeatTests {

	private static final Reply TURNED_AWAY = new Reply.Answer(503, Map.of("retry-after", "0"), "");

	private static final Reply CREATED = new Reply.Answer(201, Map.of(), "");

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	@Test
	void comesAgainUntilItIsNotTurnedAway() throws InterruptedException {
		Queue<Reply> replies = new ArrayDeque<>(List.of(TURNED_AWAY, TURNED_AWAY, CREATED));

		assertThat(Repeat.whileTurnedAway(replies::remove, PATIENCE)).isEqualTo(CREATED);
		assertThat(replies).isEmpty();
	}

	@Test
	void takesEveryOtherAnswerAsTheLast() throws InterruptedException {
		for (Reply reply : List.of(CREATED, new Reply.Answer(503, Map.of(), ""),
				new Reply.Answer(503, Map.of("retry-after", "soon"), ""),
				new Reply.Answer(504, Map.of("retry-after", "0"), ""), new Reply.Closed(), new Reply.Silent(),
				new Reply.Garbled("x"))) {
			Queue<Reply> replies = new ArrayDeque<>(List.of(reply));

			assertThat(Repeat.whileTurnedAway(replies::remove, PATIENCE)).isEqualTo(reply);
		}
	}

	@Test
	void doesNotWaitLongerThanItsPatience() throws InterruptedException {
		Reply later = new Reply.Answer(503, Map.of("retry-after", "61"), "");
		Queue<Reply> replies = new ArrayDeque<>(List.of(later));

		assertThat(Repeat.whileTurnedAway(replies::remove, PATIENCE)).isEqualTo(later);
	}

}
