package dev.sluice.lab.chaos;

import java.nio.file.Path;
import java.util.List;

import dev.sluice.lab.kit.result.ChaosResult.Balance;
import dev.sluice.lab.kit.result.ChaosResult.CustomerOrder;
import dev.sluice.lab.kit.result.ChaosResult;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Failures with exit code 1, and their messages. */
class ChaosExperimentTests {

	private static final CustomerOrder KEPT = new CustomerOrder(true, 50, 2, 9_400, 0);

	@Test
	void aBalanceThatHoldsIsNoFailure() {
		assertThat(failure(balance(0, 0, 0, 0), KEPT)).isNull();
	}

	@Test
	void eachOrderThatBreaksTheBalanceIsAFailure() {
		assertThat(failure(balance(1, 0, 0, 0), KEPT)).contains("does not hold", "violations.csv");
		assertThat(failure(balance(0, 1, 0, 0), KEPT)).contains("does not hold");
		assertThat(failure(balance(0, 0, 1, 0), KEPT)).contains("does not hold");
		assertThat(failure(balance(0, 0, 0, 1), KEPT)).contains("does not hold");
	}

	@Test
	void anOrderThatOvertakesIsAFailureWhereOrderIsPromised() {
		assertThat(failure(balance(0, 0, 0, 0), new CustomerOrder(true, 50, 2, 9_400, 1))).contains("does not hold");
		assertThat(failure(balance(0, 0, 0, 0), new CustomerOrder(false, 50, 2, 9_400, 1))).isNull();
	}

	@Test
	void aPromiseThatCouldNotHaveBeenBrokenIsAFailure() {
		assertThat(failure(balance(0, 0, 0, 0), new CustomerOrder(true, 50, 2, 0, 0)))
			.contains("Nothing is known about the order per customer", "take fewer --customers");
		assertThat(failure(balance(0, 0, 0, 0), new CustomerOrder(false, 50, 2, 0, 0))).isNull();
		assertThat(failure(balance(1, 0, 0, 0), new CustomerOrder(true, 50, 2, 0, 0))).contains("does not hold");
	}

	@Test
	void whatWasNotAuditedDoesNotHold() {
		assertThat(failure(null, null)).contains("does not hold");
		assertThat(failure(balance(0, 0, 0, 0), null)).contains("does not hold");
	}

	@Test
	void aBalanceOfNothingIsAFailure() {
		Balance nothing = new Balance(100, 600, 0, 0, 0, 0, 0, 100, 0, 0, 0, 0L, 0, 0L, 0L);

		assertThat(failure(nothing, new CustomerOrder(false, 50, 2, 0, 0))).contains("No order was accepted");
	}

	private static @Nullable String failure(@Nullable Balance balance, @Nullable CustomerOrder order) {
		return ChaosExperiment.failure(new ChaosResult(7, 100, 0.2, balance, order, List.of(), List.of(), List.of(), 0),
				Path.of("results"));
	}

	private static Balance balance(int lost, int refusedButSaved, long doubled, int misnamed) {
		return new Balance(100, 110, 20, 75, 95 - lost, 0, lost, 5, refusedButSaved, 0, 0, doubled, misnamed, 0L, 95L);
	}

}
