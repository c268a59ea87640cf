package dev.sluice.lab.knee;

import java.util.List;

import dev.sluice.lab.kit.result.KneeResult;
import dev.sluice.lab.kit.result.KneeResult.Knee;
import dev.sluice.lab.kit.result.Runs;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class KneeTextTests {

	@Test
	void namesWhatWasMissedAboveTheGreatest() {
		assertThat(text(1_550.0, 1_620.0)).contains("p99 412 ms").doesNotContain("the time was up");
	}

	@Test
	void saysThatTheTimeWasUpWhileTheRatesWereFarApart() {
		assertThat(text(810.0, 1_620.0)).contains("p99 412 ms; the time was up");
	}

	@Test
	void saysThatNoGreaterRateWasMissed() {
		assertThat(text(1_550.0, null)).contains("no greater rate was missed");
	}

	private static String text(double sustained, @Nullable Double failed) {
		Knee found = ((KneeResult) Runs.knee().finding()).knees().getFirst();
		return KneeText.of(new KneeResult("goal", "backend", List
			.of(new Knee(found.variant(), found.mode(), found.aim(), sustained, failed, found.steps(), 95_000))));
	}

}
