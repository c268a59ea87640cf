package dev.sluice.lab.compare;

import java.util.List;
import java.util.stream.Stream;

import dev.sluice.lab.compare.ComparePlan.Round;
import dev.sluice.lab.compare.ComparePlan.Sweep;
import dev.sluice.lab.kit.plan.BackendCapacity;
import dev.sluice.lab.kit.plan.BackendModel;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.result.Cell;
import dev.sluice.lab.kit.result.RunResult.LeftOut;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class ComparePlanTests {

	private static final List<Mode> BOTH = List.of(Mode.values());

	private static final List<BackendModel> BOTH_BACKENDS = Stream.of(BackendCapacity.values())
		.map(BackendCapacity::model)
		.toList();

	private static final List<BackendModel> UNLIMITED = List.of(BackendCapacity.UNLIMITED.model());

	@Test
	void everyVariantHasItsTurnBeforeAnyHasItsNext() {
		ComparePlan plan = ComparePlan
			.of(new Sweep(List.of("a", "b", "c"), BOTH, UNLIMITED, List.of(10), 3, Sweep.ALL));

		assertThat(plan.rounds()).extracting(Round::name)
			.containsExactly("1-a", "1-b", "1-c", "2-b", "2-c", "2-a", "3-c", "3-a", "3-b");
		assertThat(plan.leftOut()).isEmpty();
	}

	@Test
	void eachCellIsRunOnceInEachRepetition() {
		ComparePlan plan = ComparePlan
			.of(new Sweep(List.of("a", "b"), BOTH, BOTH_BACKENDS, List.of(10, 100), 2, Sweep.ALL));

		List<Cell> cells = plan.rounds().stream().flatMap((round) -> round.cells().stream()).toList();
		assertThat(cells).hasSize(2 * 2 * 2 * 2 * 2).doesNotHaveDuplicates();
	}

	@Test
	void theWaysAlternateAndTakeTurnsInBeingFirst() {
		ComparePlan plan = ComparePlan
			.of(new Sweep(List.of("a"), BOTH, UNLIMITED, List.of(10, 100, 200), 2, Sweep.ALL));

		assertThat(plan.rounds()).extracting((round) -> round.cells().stream().map(Cell::mode).toList())
			.containsExactly(List.of("queued", "sync", "sync", "queued", "queued", "sync"),
					List.of("sync", "queued", "queued", "sync", "sync", "queued"));
	}

	@Test
	void leavesOutWhatIsSlowByNatureAndSaysSo() {
		ComparePlan plan = ComparePlan
			.of(new Sweep(List.of("a"), BOTH, BOTH_BACKENDS, List.of(1_000, 3_000), 1, 1_000));

		assertThat(plan.leftOut()).extracting(LeftOut::cell)
			.containsExactly(new Cell("a", "sync", "starved", 3_000, 1));
		assertThat(plan.leftOut()).extracting(LeftOut::why).allMatch((why) -> why.contains("slow by nature"));
		assertThat(plan.rounds().getFirst().cells()).hasSize(7)
			.doesNotContain(new Cell("a", "sync", "starved", 3_000, 1));
	}

	@Test
	void refusesNothingToCompare() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new Sweep(List.of(), BOTH, UNLIMITED, List.of(10), 1, Sweep.ALL));
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new Sweep(List.of("a"), BOTH, UNLIMITED, List.of(0), 1, Sweep.ALL));
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new Sweep(List.of("a"), BOTH, UNLIMITED, List.of(10), 0, Sweep.ALL));
	}

}
