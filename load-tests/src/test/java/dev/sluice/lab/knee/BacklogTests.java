package dev.sluice.lab.knee;

import java.util.Map;

import dev.sluice.lab.kit.result.ClientResult.Tally;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class BacklogTests {

	private static final Tally WARM_UP = new Tally(200, 200, 0, 200, 0, Map.of());

	private static final Tally MEASURED = new Tally(500, 500, 0, 500, 0, Map.of());

	private final Backlog backlog = new Backlog(1_000, 0);

	@Test
	void whatWaitsAllTheTimeIsNotLeftBehind() {
		Backlog warm = this.backlog.with(WARM_UP);

		assertThat(warm.waiting(1_170)).isEqualTo(30);
		assertThat(warm.with(MEASURED).waiting(1_670)).isEqualTo(30);
	}

	@Test
	void aLossIsNotHiddenByOrdersOfTheWarmUpThatWereSavedLater() {
		assertThat(this.backlog.with(WARM_UP).with(MEASURED).waiting(1_699)).isEqualTo(1);
	}

	@Test
	void anOrderThatWasRefusedDoesNotWait() {
		assertThat(this.backlog.with(new Tally(10, 10, 0, 10, 0, Map.of("HTTP 503", 4L))).waiting(1_006)).isZero();
	}

}
