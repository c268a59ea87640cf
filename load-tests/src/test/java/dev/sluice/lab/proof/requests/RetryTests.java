package dev.sluice.lab.proof.requests;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;

import dev.sluice.contract.ProblemType;
import dev.sluice.lab.kit.stack.RawConnection.Reply;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RetryTests {

	private static final Reply QUEUE_FAILS = unavailable(ProblemType.QUEUE_UNAVAILABLE, "0");

	private static final Reply STATUS_FAILS = unavailable(ProblemType.STATUS_UNAVAILABLE, "0");

	private static final Reply CREATED = new Reply.Answer(201, Map.of(), "");

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	@Test
	void comesAgainUntilTheServersAreWell() throws InterruptedException {
		Queue<Reply> replies = new ArrayDeque<>(List.of(QUEUE_FAILS, STATUS_FAILS, CREATED));

		assertThat(Retry.whileServersFail(replies::remove, PATIENCE)).isEqualTo(CREATED);
		assertThat(replies).isEmpty();
	}

	@Test
	void takesEveryOtherAnswerAsTheLast() throws InterruptedException {
		for (Reply reply : List.of(CREATED, unavailable(ProblemType.OVERLOADED, "0"),
				unavailable(ProblemType.BACKEND_UNAVAILABLE, "0"), unavailable(ProblemType.QUEUE_UNAVAILABLE, "soon"),
				new Reply.Answer(503, Map.of(), body(ProblemType.QUEUE_UNAVAILABLE)), new Reply.Closed(),
				new Reply.Silent(), new Reply.Garbled("x"))) {
			Queue<Reply> replies = new ArrayDeque<>(List.of(reply));

			assertThat(Retry.whileServersFail(replies::remove, PATIENCE)).isEqualTo(reply);
		}
	}

	@Test
	void doesNotWaitLongerThanItsPatience() throws InterruptedException {
		Reply later = unavailable(ProblemType.QUEUE_UNAVAILABLE, "61");
		Queue<Reply> replies = new ArrayDeque<>(List.of(later));

		assertThat(Retry.whileServersFail(replies::remove, PATIENCE)).isEqualTo(later);
	}

	private static Reply unavailable(ProblemType type, String retryAfter) {
		return new Reply.Answer(503, Map.of("retry-after", retryAfter), body(type));
	}

	private static String body(ProblemType type) {
		return "{\"type\":\"%s\"}".formatted(type.type());
	}

}
