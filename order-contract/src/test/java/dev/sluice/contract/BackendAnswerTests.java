package dev.sluice.contract;

import java.time.Instant;
import java.util.UUID;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The rest of the rule is tested with each client, by {@link AnsweredOrder}. */
class BackendAnswerTests {

	private static final UUID ID = UUID.randomUUID();

	private static final Instant NOW = Instant.parse("2026-11-06T08:49:30Z");

	@ParameterizedTest
	@CsvSource({ "2026-11-06T08:49:30Z, true", "2026-11-07T08:49:30Z, true", "2026-11-07T08:49:31Z, false",
			"1970-01-01T00:00:00Z, true", "1969-12-31T23:59:59Z, false", "2026-11-06, false" })
	void believesATimeThatCanBe(String time, boolean believed) {
		byte[] body = "{\"id\":\"%s\",\"savedAt\":\"%s\"}".formatted(ID, time).getBytes();

		assertThat(BackendAnswer.of(201, body, ID, NOW))
			.isEqualTo(new BackendAnswer.Saved(believed ? Instant.parse(time) : null));
	}

	@Test
	void readsMembersInAnyOrder() {
		byte[] body = "{\"more\":{\"id\":1,\"list\":[{}]},\"savedAt\":null,\"id\":\"%s\"}".formatted(ID).getBytes();

		assertThat(BackendAnswer.of(200, body, ID, NOW)).isEqualTo(new BackendAnswer.Saved(null));
	}

}
