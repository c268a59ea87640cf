package dev.sluice.lab.compare.page;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import dev.sluice.lab.compare.page.CellGroup.Series;
import dev.sluice.lab.kit.cell.Cell;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.CellResult.ServiceCost;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.measure.CellEvaluation;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.result.Runs;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class CostTests {

	private static final Instant START = Instant.parse("2026-11-21T09:00:00Z");

	private static final Series SERIES = new Series("starved", "queued", "reactive");

	private static final int LOAD = 400;

	private static final ServiceCost UNKNOWN = new ServiceCost(null, null, null, null, null, null);

	private final List<CellResult> cells = new ArrayList<>();

	@Test
	void whatAnOrderCostsIsTheSumOverTheOrdersSaved() {
		measured(100, Map.of("gateway", new ServiceCost(2.0, 1, 2.0, 2.0, 30, 100L)));
		measured(300, Map.of("gateway", new ServiceCost(1.0, 3, 10.0, 5.0, 20, 300L)));

		Cost cost = cost();

		assertThat(cost.group().load()).isEqualTo(Load.inFlight(LOAD));
		assertThat(cost.cpuMillis("gateway")).isEqualTo(1.25);
	}

	@Test
	void aRepetitionWithoutAFigureIsNoPartOfIt() {
		measured(100, Map.of("gateway", new ServiceCost(2.0, 2, null, null, 30, null)));
		measured(300, Map.of("gateway", UNKNOWN));
		measured(500, Map.of());

		Cost cost = cost();

		assertThat(cost.systemCpuMillis()).isEqualTo(2);
	}

	@Test
	void whatNoRepetitionHasIsNotKnown() {
		measured(100, Map.of("gateway", UNKNOWN));

		Cost cost = cost();

		assertThat(cost.cpuMillis("gateway")).isNull();
		assertThat(cost.systemCpuMillis()).isNull();
	}

	@Test
	void anotherSeriesAndAnotherLoadAreNoPartOfIt() {
		measured(100, Map.of("gateway", cpu(2)));
		this.cells.add(
				cell(new Cell("reactive", "sync", "starved", Load.inFlight(LOAD), 1), 100, Map.of("gateway", cpu(50))));
		this.cells.add(cell(new Cell("reactive", "queued", "starved", Load.inFlight(LOAD - 1), 1), 100,
				Map.of("gateway", cpu(50))));

		assertThat(cost().systemCpuMillis()).isEqualTo(2);
	}

	@Test
	void aServiceThatAnotherSeriesHasMakesItIncomplete() {
		measured(100, Map.of("gateway", cpu(2)));
		this.cells.add(cell(new Cell("reactive", "sync", "starved", Load.inFlight(LOAD), 1), 100,
				Map.of("gateway", cpu(1), "kafka", cpu(1))));

		assertThat(cost().systemCpuMillis()).isNull();
	}

	@Test
	void tellsTheSystemsServicesFirstAndLastWhatMeasures() {
		measured(100, Map.of("postgresql", cpu(1), CellEvaluation.LAB, cpu(1), "backend", cpu(1),
				CellEvaluation.LOAD_GENERATOR, cpu(1)));
		measured(100, Map.of("consumer", cpu(1), "kafka", cpu(1), "gateway", cpu(1)));

		assertThat(cost().services()).startsWith("gateway", "consumer", "backend", "kafka", "postgresql")
			.endsWith(
					List.of(CellEvaluation.LAB, CellEvaluation.LOAD_GENERATOR).stream().sorted().toArray(String[]::new))
			.hasSize(7);
		assertThat(cost().systemCpuMillis()).as("without what measures").isEqualTo(5);
	}

	private Cost cost() {
		return Cost.of(run()).stream().filter((cost) -> cost.group().series().equals(SERIES)).findFirst().orElseThrow();
	}

	private void measured(long saved, Map<String, ServiceCost> services) {
		this.cells.add(cell(new Cell(SERIES.variant(), SERIES.mode(), SERIES.capacity(), Load.inFlight(LOAD),
				this.cells.size() + 1), saved, services));
	}

	private static ServiceCost cpu(double millisPerOrder) {
		return new ServiceCost(millisPerOrder, null, null, null, null, null);
	}

	private static CellResult cell(Cell cell, long saved, Map<String, ServiceCost> services) {
		return new CellResult(cell, START, START.plusSeconds(1), saved, 0, Map.of(), saved, saved, saved, saved, null,
				null, null, services, 70L, 12, 0.0, 0, null, null);
	}

	private RunResult run() {
		return Runs.run("compare", null, this.cells);
	}

}
