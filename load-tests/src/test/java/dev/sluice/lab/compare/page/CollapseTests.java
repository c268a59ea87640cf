package dev.sluice.lab.compare.page;

import java.util.ArrayList;
import java.util.List;

import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.result.Runs;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class CollapseTests {

	private static final String BASE = "base";

	private static final String SLOW = "backend 3 threads";

	/** The other setting of memory costs nothing. */
	private final List<CellResult> cells = new ArrayList<>(List.of(Runs.cause("Serial", 1_000, 2_000, 0.01)));

	/** Seconds of 1,000 orders and share of pauses; the base takes half a second. */
	@ParameterizedTest
	@CsvSource(delimiter = '|', nullValues = "-",
			textBlock = """
					# all that collapsed did so without the collector
					16 0.001  | 0.6 0.05 | -      | is refuted; backend 3 threads, stopped for 0.1 %; 192 MiB at N = 1,000 kept 83 %
					# the collector alone stops the gateway for half of the loss
					16 0.001  | 2 0.6    | -      | is reproduced; 192 MiB
					# a small memory could not be measured
					16 0.001  | -        | -      | neither reproduce nor refute; Not measured: 192 MiB.
					# only what contains a collapse without the collector has long pauses
					16 0.001  | 0.6 0.05 | 20 0.4 | is refuted; all together, stopped for 40 % of the time
					# a collapse with long pauses has no such part
					0.6 0.001 | 0.6 0.05 | 20 0.4 | neither reproduce nor refute; all together, stopped for 40 % of the time
					# a small memory collapses without pauses
					16 0.001  | 2 0.05   | -      | neither reproduce nor refute
					# nothing collapsed
					-         | 0.6 0.05 | -      | neither reproduce nor refute; no setting lost half
					# pauses are unknown
					16        | 0.6 0.05 | -      | neither reproduce nor refute
					""")
	void concludesByFixedRules(@Nullable String slow, @Nullable String small, @Nullable String all, String answer) {
		measured(BASE, 1, 0.5, 0.01);
		measured(SLOW, slow);
		measured("192 MiB", small);
		measured("all together", all);

		assertThat(verdict().answer()).contains(answer.split("; "));
	}

	@Test
	void sumsThePausesOfAllTrials() {
		measured(BASE, 1, 1, 0.0);
		measured(BASE, 2, 1, 0.0);
		measured(BASE, 3, 2, 0.15);

		assertThat(effect(BASE).pauseShare()).isEqualTo(0.075, within(1e-9));
	}

	@Test
	void hasNoShareOfPausesWhereOneIsNotKnown() {
		measured(BASE, 1, 1, 0.0);
		measured(BASE, 2, 1, null);

		assertThat(effect(BASE).pauseShare()).isNull();
	}

	@Test
	void marksASettingWhereAnOrderWasNotAnswered() {
		measured(SLOW, "16 0.001");
		assertThat(effect(SLOW).marked()).isFalse();

		CellResult whole = this.cells.removeLast();
		this.cells.add(new CellResult(whole.cell(), whole.start(), whole.end(), whole.calls(), whole.failedCalls(),
				whole.failures(), whole.accepted() - 1, whole.saved(), whole.savedPerSecond(),
				whole.acceptedPerSecond(), whole.latency(), null, null, whole.services(), whole.connectionsOpened(),
				whole.backendMaxInFlight(), whole.foreignCpuShare(), 0, null, null));
		assertThat(effect(SLOW).marked()).isTrue();
	}

	private Collapse.Effect effect(String setting) {
		return verdict().atMany().stream().filter((effect) -> effect.name().equals(setting)).findFirst().orElseThrow();
	}

	private void measured(String setting, @Nullable String figures) {
		if (figures != null) {
			String[] both = figures.split(" ");
			measured(setting, 1, Double.parseDouble(both[0]), (both.length > 1) ? Double.valueOf(both[1]) : null);
		}
	}

	private void measured(String setting, int repetition, double seconds, @Nullable Double pauseShare) {
		this.cells.add(Runs.cause(setting, 1_000, repetition, 1_000 / seconds, pauseShare));
	}

	private Collapse verdict() {
		return new Collapse(Runs.run("compare --causes", null, this.cells));
	}

}
