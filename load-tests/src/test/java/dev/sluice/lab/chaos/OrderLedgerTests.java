package dev.sluice.lab.chaos;

import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.IntStream;

import dev.sluice.lab.chaos.OrderLedger.Answer;
import dev.sluice.lab.chaos.OrderLedger.Answer.Meaning;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.result.ChaosResult.Second;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class OrderLedgerTests {

	private static final Answer ACCEPTED = Answer.of(202, null);

	@TempDir
	private Path directory;

	@Test
	void countsEachOrderByTheStrongestThatItsClientWasTold() throws IOException {
		try (OrderLedger ledger = ledger(4, 0)) {
			ledger.enter(0, 1, "a", 0, 10, Answer.UNREACHABLE);
			ledger.enter(0, 2, "b", 20, 10, ACCEPTED);
			ledger.enter(0, 3, "a", 40, 10, Answer.of(400, null));
			ledger.enter(1, 1, "a", 0, 10, Answer.UNREACHABLE);
			ledger.enter(1, 2, "b", 20, 10, Answer.TIMEOUT);
			ledger.enter(2, 1, "a", 0, 10, Answer.UNREACHABLE);

			assertThat(IntStream.range(0, 4).mapToObj(ledger::meaning)).containsExactly(Meaning.ACCEPTED, Meaning.OPEN,
					Meaning.REFUSED, Meaning.NONE);
			assertThat(ledger.attempts()).isEqualTo(6);
			assertThat(ledger.count(Meaning.ACCEPTED, (_) -> true)).isOne();
		}
	}

	@Test
	void writesEveryAttempt() throws IOException {
		try (OrderLedger ledger = ledger(2, 0)) {
			ledger.enter(1, 1, "reactive", 5, 2_000, Answer.TIMEOUT);
			ledger.enter(1, 2, "servlet-virtual", 2_300, 7, ACCEPTED);
		}

		assertThat(this.directory.resolve("attempts.csv")).content().isEqualTo("""
				order,attempt,gateway,mode,sent_ms,took_ms,answer
				1,1,reactive,queued,5,2000,timeout
				1,2,servlet-virtual,queued,2300,7,202
				""");
	}

	@Test
	void spreadsSyncOrdersEvenly() throws IOException {
		try (OrderLedger ledger = ledger(100, 0.2)) {
			int[] sync = IntStream.range(0, 100).filter((order) -> ledger.mode(order) == Mode.SYNC).toArray();

			assertThat(sync).hasSize(20);
			assertThat(IntStream.range(1, 20).map((i) -> sync[i] - sync[i - 1])).allMatch((gap) -> gap == 5);
		}
	}

	@Test
	void putsAnswersIntoTheSecondInWhichTheyCame() throws IOException {
		try (OrderLedger ledger = ledger(3, 0)) {
			ledger.enter(0, 1, "a", 900, 200, ACCEPTED);
			ledger.enter(1, 1, "a", 100, 20, Answer.TIMEOUT);

			assertThat(ledger.seconds()).containsExactly(new Second(0, 0, 0, 0, 1, null),
					new Second(1, 0, 1, 0, 0, null));

			ledger.saved(2_001);

			assertThat(ledger.seconds()).containsExactly(new Second(0, 0, 0, 0, 1, 0), new Second(1, 0, 1, 0, 0, 0),
					new Second(2, 0, 0, 0, 0, 1));
		}
	}

	private OrderLedger ledger(int orders, double syncShare) throws IOException {
		return new OrderLedger(orders, syncShare, this.directory.resolve("attempts.csv"));
	}

	@ParameterizedTest
	@CsvSource({ "200, no, ACCEPTED, false", "201,, ACCEPTED, false", "202,, ACCEPTED, false",
			// Refusal of the request is final, of too many requests it is not.
			"400,, REFUSED, false", "413,, REFUSED, false", "422,, REFUSED, false", "429,, REFUSED, true",
			// What is in progress may become accepted.
			"409,, OPEN, true",
			// A failure is a refusal only if it promises that nothing was placed.
			"500, no, REFUSED, true", "503, no, REFUSED, true", "504, no, REFUSED, true", "503, unknown, OPEN, true",
			"503, perhaps, OPEN, true", "500,, OPEN, true", "502,, OPEN, true", "504,, OPEN, true" })
	void saysWhatTheClientMayConclude(int status, @Nullable String placed, Meaning meaning, boolean again) {
		assertThat(Answer.of(status, placed)).isEqualTo(new Answer("" + status, meaning, again));
	}

	@Test
	void onlyWhoWasNeverReachedHasCertainlyTakenNothing() {
		assertThat(Answer.UNREACHABLE.meaning()).isEqualTo(Meaning.REFUSED);
		assertThat(Answer.TIMEOUT.meaning()).isEqualTo(Meaning.OPEN);
		assertThat(Answer.BROKEN.meaning()).isEqualTo(Meaning.OPEN);
	}

}
