package dev.sluice.gateway.core.order;

import java.util.UUID;

import dev.sluice.gateway.core.problem.ProblemException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class OrderIdsTests {

	private final OrderIds ids = new OrderIds();

	@Test
	void givesTimeOrderedIdsWithoutKey() {
		UUID first = this.ids.idOf("c", null);
		UUID second = this.ids.idOf("c", null);

		assertThat(first.version()).isEqualTo(7);
		assertThat(second).isNotEqualTo(first);
		assertThat(second.getMostSignificantBits() >>> 16)
			.isGreaterThanOrEqualTo(first.getMostSignificantBits() >>> 16);
	}

	/**
	 * The value is fixed: every gateway must derive the same one, now and after an
	 * upgrade.
	 */
	@Test
	void derivesTheSameIdEverywhere() {
		UUID id = this.ids.idOf("c-1", new IdempotencyKey("k"));

		assertThat(id).isEqualTo(new OrderIds().idOf("c-1", new IdempotencyKey("k")));
		assertThat(id).hasToString("dfcd8cc8-35d5-8f7c-84cb-fd577ba5bff8");
		assertThat(id.version()).isEqualTo(8);
		assertThat(id.variant()).isEqualTo(2);
	}

	@Test
	void tellsCustomersAndKeysApart() {
		UUID id = this.ids.idOf("ab", new IdempotencyKey("c"));

		assertThat(this.ids.idOf("a", new IdempotencyKey("bc"))).isNotEqualTo(id);
		assertThat(this.ids.idOf("ab", new IdempotencyKey("d"))).isNotEqualTo(id);
	}

	@Test
	void readsIdsInBothCases() {
		UUID id = UUID.fromString("019ab000-0000-7000-8000-00000000000f");

		assertThat(OrderIds.parse("019ab000-0000-7000-8000-00000000000f")).isEqualTo(id);
		assertThat(OrderIds.parse("019AB000-0000-7000-8000-00000000000F")).isEqualTo(id);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "1", "1-1-1-1-1", "019ab000-0000-7000-8000-00000000000g",
			"019ab000-0000-7000-8000-00000000000ff" })
	void refusesWhatIsNoId(String text) {
		assertThatExceptionOfType(ProblemException.class).isThrownBy(() -> OrderIds.parse(text));
	}

}
