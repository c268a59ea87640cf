package dev.sluice.lab.kit.result;

import java.util.List;
import java.util.Map;

import dev.sluice.lab.kit.result.ProofResult.Check;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ProofResultTests {

	@Test
	void holdsUpToItsLimit() {
		assertThat(Check.atMost("a", 5, 5.0, "ms").holds()).isTrue();
		assertThat(Check.atMost("a", 5, 5.1, "ms").holds()).isFalse();
		assertThat(Check.atLeast("a", 5, 5.0, "").holds()).isTrue();
		assertThat(Check.atLeast("a", 5, 4.0, "").holds()).isFalse();
		assertThat(Check.exactly("a", 5, 5).holds()).isTrue();
		assertThat(Check.none("a", 1).holds()).isFalse();
	}

	@Test
	void doesNotHoldForWhatNeverHappened() {
		assertThat(Check.atMost("a", 5, null, "ms").holds()).isFalse();
		assertThat(Check.atMost("a", 5, Double.NaN, "ms").holds()).isFalse();
	}

	@Test
	void provesNothingIfItBrokeOffOrCheckedNothing() {
		List<Check> good = List.of(Check.none("a", 0));

		assertThat(proof(good, null).holds()).isTrue();
		assertThat(proof(good, "no Kafka").holds()).isFalse();
		assertThat(proof(List.of(), null).holds()).isFalse();
		assertThat(proof(List.of(Check.none("a", 0), Check.none("b", 1)), null).holds()).isFalse();
	}

	private static ProofResult proof(List<Check> checks, String problem) {
		return new ProofResult("key", "Why?", Map.of(), checks, null, 1, problem);
	}

}
