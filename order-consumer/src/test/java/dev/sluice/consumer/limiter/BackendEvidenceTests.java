package dev.sluice.consumer.limiter;

import dev.sluice.consumer.limiter.BackendEvidence.Failure;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Times are plain numbers; the gap is 10. */
class BackendEvidenceTests {

	private final BackendEvidence evidence = new BackendEvidence(10);

	@Test
	void countsWhatFailsBetweenTwoSaves() {
		this.evidence.saved(0, 1);
		Failure failure = this.evidence.failed(2, 3);
		assertThat(failure).isNotNull();
		assertThat(failure.counts()).isFalse();

		this.evidence.saved(4, 5);

		assertThat(failure.counts()).isTrue();
	}

	@Test
	void countsNothingBeforeTheFirstSave() {
		Failure failure = this.evidence.failed(2, 3);
		this.evidence.saved(4, 5);

		assertThat(failure).isNull();
		assertThat(this.evidence.failed(4, 6)).as("it began before that save ended").isNull();
	}

	@Test
	void countsNothingThatNoSaveFollowsInTime() {
		this.evidence.saved(0, 1);
		Failure failure = this.evidence.failed(2, 3);

		this.evidence.saved(12, 13);

		assertThat(failure.counts()).isFalse();
	}

	@Test
	void countsNothingThatASaveFollowsWhichBeganBefore() {
		this.evidence.saved(0, 1);
		Failure failure = this.evidence.failed(4, 5);

		this.evidence.saved(3, 6);

		assertThat(failure.counts()).isFalse();
	}

	@Test
	void countsALongAttemptOnlyIfSavesGoOnDuringIt() {
		this.evidence.saved(0, 1);
		this.evidence.saved(9, 10);
		this.evidence.saved(19, 20);
		Failure covered = this.evidence.failed(2, 25);
		this.evidence.saved(26, 27);
		assertThat(covered.counts()).isTrue();

		this.evidence.saved(40, 41);
		Failure broken = this.evidence.failed(26, 45);
		this.evidence.saved(46, 47);
		assertThat(broken).isNull();
	}

	/** It saves one order and not the next, whichever they are. */
	@Test
	void countsNothingWhileHalfOfTheAttemptsFail() {
		long now = 0;
		for (int i = 0; i < 100; i++) {
			this.evidence.saved(now++, now++);
			this.evidence.failed(now++, now++);
			this.evidence.failed(now++, now++);
		}
		Failure half = this.evidence.failed(now++, now++);
		this.evidence.saved(now++, now++);
		assertThat(half).isNull();

		for (int i = 0; i < 100; i++) {
			this.evidence.saved(now++, now++);
		}
		Failure alone = this.evidence.failed(now++, now++);
		this.evidence.saved(now++, now++);
		assertThat(alone.counts()).isTrue();
	}

	@Test
	void aSlowBackendIsNoBrokenRun() {
		this.evidence.saved(0, 100);
		Failure failure = this.evidence.failed(101, 102);

		this.evidence.saved(103, 300);

		assertThat(failure.counts()).isTrue();
	}

	@Test
	void savesThatOverlapProveNothingNew() {
		// All were saved before an outage that began at 11, and answered late.
		this.evidence.saved(0, 10);
		for (int late = 11; late < 40; late++) {
			this.evidence.saved(9, late);
		}
		Failure failure = this.evidence.failed(12, 38);

		this.evidence.saved(39, 41);

		assertThat(failure.counts()).isFalse();
	}

}
