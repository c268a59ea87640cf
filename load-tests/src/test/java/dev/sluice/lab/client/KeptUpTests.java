package dev.sluice.lab.client;

import java.util.List;
import java.util.Map;

import dev.sluice.lab.kit.result.ClientResult.Run;
import dev.sluice.lab.kit.result.ClientResult.Second;
import dev.sluice.lab.kit.result.ClientResult.Tally;
import dev.sluice.lab.kit.statistics.Timing;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class KeptUpTests {

	@Test
	void aClientKeepsUpWhileNoMoreIsOutstandingThanRateAndLatencyExplain() {
		assertThat(keptUp(100, 150, latency(50))).isTrue();
		assertThat(keptUp(100, 151, latency(50))).isFalse();
	}

	@Test
	void moreMayBeOutstandingWhereEachAnswerTakesLonger() {
		assertThat(keptUp(100, 300, latency(2_000))).isTrue();
		assertThat(keptUp(100, 301, latency(2_000))).isFalse();
	}

	@Test
	void oneRequestMayBeOutstandingAtARateBelowOneASecond() {
		assertThat(keptUp(0.1, 1, latency(50))).isTrue();
		assertThat(keptUp(0.1, 2, latency(50))).isFalse();
	}

	@Test
	void aClientThatFailsOrDoesNotSendHasNotKeptUp() {
		assertThat(ClientPage.keptUp(run(100, 0, 1, 0, latency(50), 0, 1_000))).isFalse();
		assertThat(ClientPage.keptUp(run(100, 0, 0, 1, latency(50), 0, 1_000))).isFalse();
	}

	@Test
	void aClientWithoutAWholeSecondOrAnAnswerHasNotKeptUp() {
		assertThat(ClientPage.keptUp(run(100, 0, 0, 0, latency(50), 0, 999))).isFalse();
		assertThat(keptUp(100, 0, null)).isFalse();
	}

	private static boolean keptUp(double perSecond, long outstanding, @Nullable Timing latency) {
		return ClientPage.keptUp(run(perSecond, outstanding, 0, 0, latency, 0, 1_000));
	}

	private static Timing latency(double least) {
		return new Timing(least, least, null, null, null, least);
	}

	private static Run run(double perSecond, long outstanding, long notSent, long failed, @Nullable Timing latency,
			double lagMillis, long millis) {
		return new Run("run", "async", null, "http://localhost", perSecond, millis,
				new Tally(100, 100, notSent, 100, outstanding, Map.of("503", failed)), latency, latency(lagMillis),
				null, 0.0, List.of(new Second(1, 100, 100, outstanding, 100, 100, null, 1)), null);
	}

}
