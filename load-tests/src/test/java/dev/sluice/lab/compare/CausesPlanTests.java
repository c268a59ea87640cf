package dev.sluice.lab.compare;

import java.util.List;
import java.util.stream.Stream;

import dev.sluice.lab.compare.ComparePlan.Block;
import dev.sluice.lab.compare.figures.Setting;
import dev.sluice.lab.kit.run.LengthOptions.Length;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class CausesPlanTests {

	@Test
	void eachRepetitionBeginsWithAnotherSetting() {
		ComparePlan plan = new CausesPlan(Length.WHOLE, 2).plan();

		assertThat(names(plan).subList(0, 8)).isEqualTo(Stream.of(Setting.values()).map(Setting::label).toList());
		assertThat(names(plan).subList(8, 16)).startsWith("backend 3 threads")
			.endsWith("base")
			.containsExactlyInAnyOrderElementsOf(names(plan).subList(0, 8));
		assertThat(plan.cells()).doesNotHaveDuplicates();
	}

	@Test
	void withoutRepetitionsTheBaseRunsFirstAndLast() {
		assertThat(names(new CausesPlan(Length.QUICK, 3).plan())).startsWith("base").endsWith("base").hasSize(9);
	}

	@Test
	void eachCellHasAPhaseOfItsOwnAndABackend() {
		ComparePlan plan = new CausesPlan(Length.QUICK, 1).plan();

		assertThat(plan.blocks()).allSatisfy((block) -> {
			assertThat(block.cells()).extracting(Block::phase).doesNotHaveDuplicates();
			assertThat(block.cells()).allSatisfy((cell) -> assertThat(plan.backend(cell)).isNotNull());
		});
	}

	@Test
	void twoSettingsHaveNewConnections() {
		assertThat(new CausesPlan(Length.QUICK, 1).plan().blocks()).filteredOn(Block::newConnections)
			.flatExtracting(Block::names)
			.containsExactly("new connections", "all together");
	}

	private static List<String> names(ComparePlan plan) {
		return plan.blocks().stream().flatMap((block) -> block.names().stream()).toList();
	}

}
