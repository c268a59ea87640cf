package dev.sluice.consumer.limiter;

import dev.sluice.consumer.limiter.BackendEvidence.Failure;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RetryBudgetTests {

	private final BackendEvidence evidence = new BackendEvidence(Long.MAX_VALUE / 4);

	private final RetryBudget budget = new RetryBudget(2, () -> this.outages, () -> this.unsaved);

	private int outages;

	private int unsaved;

	private long now;

	@Test
	void isSpentByFailuresThatCount() {
		saved();
		this.budget.failed(failed());
		saved();
		assertThat(this.budget.isSpent()).isFalse();

		this.budget.failed(failed());
		saved();
		assertThat(this.budget.isSpent()).isTrue();
	}

	@Test
	void aFailureIsJudgedBeforeTheNextAttemptAndNeverAfter() {
		saved();
		for (int i = 0; i < 100; i++) {
			this.budget.failed(failed());
			assertThat(this.budget.isSpent()).isFalse();
		}
		saved();

		assertThat(this.budget.isSpent()).isFalse();
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
			assertThat(this.budget.isSpent()).isFalse();
		}

		this.budget.failed(failed());
		saved();
		assertThat(this.budget.isSpent()).isTrue();
	}

	@Test
	void aFailureRightBeforeTheCircuitBreakerOpensDoesNotCount() {
		saved();
		this.budget.failed(failed());
		saved();
		this.outages = 1;
		assertThat(this.budget.isSpent()).isFalse();

		this.budget.failed(failed());
		saved();
		assertThat(this.budget.isSpent()).isFalse();
		this.budget.failed(failed());
		saved();
		assertThat(this.budget.isSpent()).isTrue();
	}

	@Test
	void whatSaysNothingOfTheOrderDoesNotCount() {
		for (int i = 0; i < 100; i++) {
			this.budget.failed(null);
			saved();
			assertThat(this.budget.isSpent()).isFalse();
		}
	}

	@Test
	void aRejectionThatCountsSpendsItAtOnce() {
		saved();
		this.unsaved = 100;
		this.budget.rejected(failed());
		assertThat(this.budget.isSpent()).isFalse();

		this.budget.rejected(failed());
		saved();
		assertThat(this.budget.isSpent()).isTrue();
	}

	@Test
	void rejectionsAloneSpendItWhileNoOtherOrderFails() {
		this.unsaved = 1;
		this.budget.rejected(null);
		assertThat(this.budget.isSpent()).isFalse();
		assertThat(this.budget.isSpent()).as("it was throttled meanwhile").isFalse();
		this.unsaved = 3;
		this.budget.rejected(null);
		assertThat(this.budget.isSpent()).as("another order failed").isFalse();

		this.unsaved = 1;
		this.budget.rejected(null);
		assertThat(this.budget.isSpent()).as("another order was saved").isFalse();
		this.unsaved = 2;
		this.budget.rejected(null);
		assertThat(this.budget.isSpent()).isTrue();
	}

	private void saved() {
		this.evidence.saved(this.now++, this.now++);
	}

	private Failure failed() {
		return this.evidence.failed(this.now++, this.now++);
	}

}
