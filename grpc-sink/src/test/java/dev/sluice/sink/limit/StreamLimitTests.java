package dev.sluice.sink.limit;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class StreamLimitTests {

	@Test
	void refusesAStreamOfAClientThatHasAsManyAsItMay() {
		StreamLimit limit = new StreamLimit(5, 2);
		assertThat(limit.open("a")).isNull();
		assertThat(limit.open("a")).isNull();

		assertThat(limit.open("a")).contains("sink.limits.max-streams-per-client");
		assertThat(limit.open("b")).as("another client has its own").isNull();

		limit.close("a");
		assertThat(limit.open("a")).isNull();
	}

	@Test
	void refusesAStreamOfAnyClientWhereAllHaveAsManyAsTheyMay() {
		StreamLimit limit = new StreamLimit(3, 2);
		assertThat(limit.open("a")).isNull();
		assertThat(limit.open("a")).isNull();
		assertThat(limit.open("b")).isNull();

		assertThat(limit.open("c")).contains("sink.limits.max-streams allows");

		limit.close("a");
		assertThat(limit.open("c")).isNull();
	}

	@Test
	void hasNoLimitForEachClientIfThatIsZero() {
		StreamLimit limit = new StreamLimit(3, 0);

		assertThat(limit.open("a")).isNull();
		assertThat(limit.open("a")).isNull();
		assertThat(limit.open("a")).isNull();
		assertThat(limit.open("a")).contains("sink.limits.max-streams allows");
	}

}
