package dev.sluice.consumer.limiter;

import dev.sluice.consumer.limiter.BackendEvidence.Failure;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Times are plain numbers; the gap is 10. */
class BackendEvidenceTests {

	private final BackendEvidence evidence = new BackendEvidence(10);

	/** Attempts, saved (+) or failed (-), with their begin and end. */
	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			it is between two saves                         | +0-1 -2-3 +4-5                             | true
			no save comes after it                          | +0-1 -2-3                                  | false
			no save comes before it                         | -2-3 +4-5                                  | false
			it begins before the first save ends            | +4-5 -4-6 +7-8                             | false
			the save after it comes late                    | +0-1 -2-3 +12-13                           | false
			the save after it began before it               | +0-1 -4-5 +3-6                             | false
			it is long, and saves go on meanwhile           | +0-1 +9-10 +19-20 -2-25 +26-27             | true
			it is long, and saves pause meanwhile           | +0-1 +9-10 +19-20 +26-27 +40-41 -26-45 +46-47 | false
			a slow backend saves without a pause            | +0-100 -101-102 +103-300                   | true
			saves from before an outage are answered late   | +0-10 +9-11 +9-20 +9-29 +9-38 -12-38 +39-41 | false
			""")
	void countsAFailureWithinARunOfSaves(String when, String attempts, boolean counts) {
		Failure failure = null;
		for (String attempt : attempts.split(" ")) {
			String[] times = attempt.substring(1).split("-");
			long began = Long.parseLong(times[0]);
			long ended = Long.parseLong(times[1]);
			if (attempt.startsWith("+")) {
				this.evidence.saved(began, ended);
			}
			else {
				failure = this.evidence.failed(began, ended);
			}
		}

		assertThat(failure != null && failure.counts()).as(when).isEqualTo(counts);
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

}
