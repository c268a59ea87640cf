package dev.sluice.consumer.limiter;

import java.util.stream.Stream;

import dev.sluice.consumer.limiter.BackendEvidence.Failure;
import dev.sluice.sink.Script;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A budget of two. */
class RetryBudgetTests {

	private final BackendEvidence evidence = new BackendEvidence(Long.MAX_VALUE / 4);

	private final RetryBudget budget = new RetryBudget(2, () -> this.outages, () -> this.unsaved);

	private int outages;

	private int unsaved;

	private long now;

	/**
	 * Others are saved, or not for a number of attempts; the order fails or is refused.
	 */
	private final Script script = new Script().word("saved", (_) -> this.evidence.saved(this.now++, this.now++))
		.word("unsaved", (attempts) -> this.unsaved = Integer.parseInt(attempts.getFirst()))
		.word("outage", (_) -> this.outages++)
		.word("failed", (_) -> this.budget.failed(failure()))
		.word("unreached", (_) -> this.budget.failed(null))
		.word("rejected", (_) -> this.budget.rejected(failure()))
		.word("rejected-alone", (_) -> this.budget.rejected(null))
		.is(() -> this.budget.isSpent() ? "spent" : "left");

	private Failure failure() {
		return this.evidence.failed(this.now++, this.now++);
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource
	void follows(String what, String steps) {
		this.script.play(steps);
	}

	static Stream<Arguments> follows() {
		return Script.scenarios("""
				is spent by failures that count
					saved; failed; saved; is left; failed; saved; is spent
				a failure is judged before the next attempt and never after
					saved; 100x(failed, is left); saved; is left
				a short outage costs one attempt at most: the one that ended before the saves paused
					saved; 9x(failed, is left); failed; saved; is left; failed; saved; is spent
				a failure right before the circuit breaker opens does not count
					saved; failed; saved; outage; is left; failed; saved; is left; failed; saved; is spent
				what says nothing of the order does not count
					100x(unreached, saved, is left)
				a rejection that counts spends it at once
					saved; unsaved 100; rejected; is left; rejected; saved; is spent
				rejections alone spend it while no other order fails, or is saved; it may be throttled between
					unsaved 1; rejected-alone; is left; is left; unsaved 3; rejected-alone; is left
					unsaved 1; rejected-alone; is left; unsaved 2; rejected-alone; is spent
				""");
	}

}
