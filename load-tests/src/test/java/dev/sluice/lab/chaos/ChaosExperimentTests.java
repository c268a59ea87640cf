package dev.sluice.lab.chaos;

import java.nio.file.Path;
import java.util.List;

import dev.sluice.lab.kit.result.ChaosResult;
import dev.sluice.lab.kit.result.ChaosResult.Balance;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Failures with exit code 1, and their messages. */
class ChaosExperimentTests {

	/** Orders that are lost, refused but saved, doubled and misnamed. */
	@ParameterizedTest
	@CsvSource({ "1, 0, 0, 0", "0, 1, 0, 0", "0, 0, 1, 0", "0, 0, 0, 1" })
	void eachOrderThatBreaksTheBalanceIsAFailure(int lost, int refusedButSaved, long doubled, int misnamed) {
		assertThat(failure(balance(lost, refusedButSaved, doubled, misnamed))).contains("does not hold",
				"violations.csv");
	}

	@Test
	void whatWasNotAuditedDoesNotHold() {
		assertThat(failure(balance(0, 0, 0, 0))).isNull();
		assertThat(failure(null)).contains("does not hold");
	}

	@Test
	void aBalanceOfNothingIsAFailure() {
		Balance nothing = new Balance(100, 600, 0, 0, 0, 0, 0, 100, 0, 0, 0, 0L, 0, 0L, 0L);

		assertThat(failure(nothing)).contains("No order was accepted");
	}

	private static @Nullable String failure(@Nullable Balance balance) {
		return ChaosExperiment.failure(new ChaosResult(balance, List.of(), List.of(), List.of(), 0),
				Path.of("results"));
	}

	private static Balance balance(int lost, int refusedButSaved, long doubled, int misnamed) {
		return new Balance(100, 110, 20, 75, 95 - lost, 0, lost, 5, refusedButSaved, 0, 0, doubled, misnamed, 0L, 95L);
	}

}
