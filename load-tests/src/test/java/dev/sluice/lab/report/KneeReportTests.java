package dev.sluice.lab.report;

import java.util.List;
import java.util.stream.Stream;

import dev.sluice.lab.kit.result.KneeResult;
import dev.sluice.lab.kit.result.Runs;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class KneeReportTests {

	@Test
	void namesTheGreatestAndWhatWasMissedAboveIt() {
		String page = Report.page(Runs.knee());

		assertThat(page).contains("reactive sync: 1,550 orders per second.", "p99 412 ms", "p99 of the answers");
	}

	@Test
	void givesARangeWhereTheTimeWasUp() {
		assertThat(page(6_400.0, 12_800.0)).contains("6,400 orders per second.", ">12,800<");
	}

	@Test
	void givesALeastWhereNoGreaterRateWasMissed() {
		assertThat(page(400.0, null)).contains("no greater rate was missed twice");
	}

	@Test
	void givesTheMedianAndTheRangeOfSeveralSearches() {
		List<KneeResult.Knee> searches = Stream.of(1_000.0, 1_400.0, 1_100.0)
			.map((rate) -> new KneeResult.Knee("reactive", "queued", rate, rate * 1.04, List.of(), 95_000))
			.toList();

		assertThat(Report.page(Runs.found("knee", new KneeResult("goal", "backend", searches))))
			.contains("reactive queued: 1,100 orders per second (1,000 to 1,400 in 3 searches).");
	}

	private static String page(double sustained, @Nullable Double failed) {
		return Report.page(Runs.found("knee", new KneeResult("goal", "backend",
				List.of(new KneeResult.Knee("reactive", "queued", sustained, failed, List.of(), 95_000)))));
	}

	@Test
	void showsAWayThatNeverMetTheGoal() {
		assertThat(Report.page(Runs.knee())).contains("reactive queued †: 0 orders per second.",
				"3 requests failed: HTTP 503");
	}

}
