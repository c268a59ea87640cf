package dev.sluice.lab.compare.figures;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import dev.sluice.lab.kit.cell.Bottleneck;
import dev.sluice.lab.kit.cell.Cell;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.result.Runs;
import dev.sluice.lab.kit.cell.Utilisation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class CommonBottleneckTests {

	private static final Instant START = Instant.parse("2026-11-21T09:00:00Z");

	@Test
	void limitsOfOtherServicesAndOtherSizesAreOtherLimits() {
		Bottleneck.Limit most = new Bottleneck.Limit("gateway", "calls", 7, 0.5);

		assertThat(bottlenecks(most, new Bottleneck.Limit("gateway", "calls", 7, 0.9),
				new Bottleneck.Limit("gateway", "calls", 8, 0.5), new Bottleneck.Limit("consumer", "calls", 7, 0.5)))
			.hasSize(3)
			.first()
			.isEqualTo(new CommonBottleneck(most, cell(1), 2));
	}

	@Test
	void theBottleneckOfMostCellsComesFirst() {
		assertThat(bottlenecks(new Bottleneck.Generator(80), new Bottleneck.BackendLatency(10, 50),
				new Bottleneck.BackendLatency(9, 50), null))
			.containsExactly(new CommonBottleneck(new Bottleneck.BackendLatency(10, 50), cell(2), 2),
					new CommonBottleneck(new Bottleneck.Generator(80), cell(1), 1));
	}

	/** What others left of the machine is not the system's bottleneck. */
	@Test
	void anUnreliableCellHasNone() {
		Bottleneck cpu = new Bottleneck.Cpu(0.97, "gateway", 0.19);

		assertThat(CommonBottleneck.of(Runs.run("compare", null, List.of(limited(cell(1), cpu, 0.5)))))
			.isEmpty();
		assertThat(CommonBottleneck.of(Runs.run("compare", null, List.of(limited(cell(1), cpu, 0.1)))))
			.hasSize(1);
	}

	private static List<CommonBottleneck> bottlenecks(@Nullable Bottleneck... bottlenecks) {
		List<CellResult> cells = new ArrayList<>();
		for (Bottleneck bottleneck : bottlenecks) {
			cells.add(limited(cell(cells.size() + 1), bottleneck, 0.0));
		}
		return CommonBottleneck.of(Runs.run("compare", null, cells));
	}

	private static CellResult limited(Cell cell, @Nullable Bottleneck bottleneck, double foreign) {
		return new CellResult(cell, START, START.plusSeconds(1), 10, 0, Map.of(), 10, 10, 10, 10, null, null, null,
				Map.of(), 0L, 0, foreign, 0, null,
				new Utilisation(0.6, Map.of(), List.of(), 50.2, 48.0, 996.0, bottleneck));
	}

	private static Cell cell(int repetition) {
		return new Cell("reactive", "sync", "unlimited", Load.inFlight(10), repetition);
	}

}
