package dev.sluice.consumer.limiter;

import dev.sluice.consumer.limiter.BackendEvidence.Failure;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RetryBudgetTests {

	private final BackendEvidence evidence = new BackendEvidence(Long.MAX_VALUE / 4);

	private final RetryBudget budget = new RetryBudget(2, 100, 0, 0);

	private long now;

	@Test
	void isSpentByFailuresThatCount() {
		saved();
		this.budget.failed(failed());
		saved();
		assertThat(this.budget.isSpent(0, this.now)).isFalse();

		this.budget.failed(failed());
		saved();
		assertThat(this.budget.isSpent(0, this.now)).isTrue();
	}

	@Test
	void aFailureIsJudgedBeforeTheNextAttemptAndNeverAfter() {
		saved();
		for (int i = 0; i < 100; i++) {
			this.budget.failed(failed());
			assertThat(this.budget.isSpent(0, this.now)).isFalse();
		}
		saved();

		assertThat(this.budget.isSpent(0, this.now)).isFalse();
	}

	@Test
	void aShortOutageCostsOneAttemptAtMost() {
		saved();
		for (int i = 0; i < 10; i++) {
			this.budget.failed(failed());
			if (i == 9) {
				// The attempt ended before the run of saves broke.
				saved();
			}
			assertThat(this.budget.isSpent(0, this.now)).isFalse();
		}

		this.budget.failed(failed());
		saved();
		assertThat(this.budget.isSpent(0, this.now)).isTrue();
	}

	@Test
	void aFailureCountsOnce() {
		saved();
		this.budget.failed(failed());
		saved();

		for (int i = 0; i < 100; i++) {
			assertThat(this.budget.isSpent(0, this.now)).isFalse();
		}
	}

	@Test
	void keepsTheFailuresFromLongBeforeAnOutage() {
		saved();
		this.budget.failed(failed());
		saved();
		assertThat(this.budget.isSpent(0, this.now)).isFalse();
		this.now += 101;
		assertThat(this.budget.isSpent(0, this.now)).isFalse();
		assertThat(this.budget.isSpent(1, this.now)).isFalse();

		this.budget.failed(failed());
		saved();
		assertThat(this.budget.isSpent(1, this.now)).isTrue();
	}

	@Test
	void forgetsTheFailuresByWhichAnOutageWasNoticed() {
		saved();
		this.budget.failed(failed());
		saved();
		assertThat(this.budget.isSpent(0, this.now)).isFalse();
		this.budget.failed(failed());
		saved();
		assertThat(this.budget.isSpent(1, this.now)).isFalse();

		this.budget.failed(failed());
		saved();
		assertThat(this.budget.isSpent(1, this.now)).isFalse();
		this.budget.failed(failed());
		saved();
		assertThat(this.budget.isSpent(1, this.now)).isTrue();
	}

	@Test
	void aFailureAsLongAgoAsTheWindowBelongsToTheOutage() {
		saved();
		this.budget.failed(failed());
		saved();
		assertThat(this.budget.isSpent(0, this.now)).isFalse();
		this.now += 100;
		assertThat(this.budget.isSpent(0, this.now)).isFalse();
		assertThat(this.budget.isSpent(1, this.now)).isFalse();

		this.budget.failed(failed());
		saved();
		assertThat(this.budget.isSpent(1, this.now)).isFalse();
	}

	@Test
	void whatSaysNothingOfTheOrderDoesNotCount() {
		for (int i = 0; i < 100; i++) {
			this.budget.failed(null);
			saved();
			assertThat(this.budget.isSpent(0, this.now)).isFalse();
		}
	}

	private void saved() {
		this.evidence.saved(this.now++, this.now++);
	}

	private Failure failed() {
		return this.evidence.failed(this.now++, this.now++);
	}

}
