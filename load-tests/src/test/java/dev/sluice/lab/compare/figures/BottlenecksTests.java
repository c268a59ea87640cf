package dev.sluice.lab.compare.figures;

import java.util.List;
import java.util.Map;

import dev.sluice.lab.kit.cell.Bottleneck;
import dev.sluice.lab.kit.cell.Cell;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.result.CompareResult;
import dev.sluice.lab.kit.result.CompareResult.Setup;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.result.Runs;
import dev.sluice.lab.kit.cell.Utilisation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class BottlenecksTests {

	private static final Load TEN = Load.inFlight(10);

	@Test
	void theCeilingIsTheLimitByTheBackendsTime() {
		Bottlenecks bottlenecks = new Bottlenecks(run());

		assertThat(bottlenecks.ceiling("unlimited", "sync", TEN)).hasValue(200);
		assertThat(bottlenecks.ceiling("unlimited", "queued", TEN)).hasValue(1_000);
		assertThat(bottlenecks.ceiling("unlimited", "sync", new Load(Load.Kind.OFFERED, 10))).isEmpty();
		assertThat(bottlenecks.ceiling("log-normal", "sync", TEN)).isEmpty();
		assertThat(new Bottlenecks(Runs.full()).ceiling("unlimited", "sync", TEN)).isEmpty();
		assertThat(new Bottlenecks(Runs.client()).ceiling("unlimited", "sync", TEN)).isEmpty();
	}

	@Test
	void aBackendThatTakesNoTimeIsNoCeiling() {
		Bottlenecks bottlenecks = new Bottlenecks(Runs.found("compare",
				new CompareResult(List.of(), List.of(), null, List.of(), new Setup(50, Map.of("unlimited", 0L)))));

		assertThat(bottlenecks.ceiling("unlimited", "sync", TEN)).isEmpty();
		assertThat(bottlenecks.ceiling("unlimited", "queued", TEN)).isEmpty();
	}

	@Test
	void saysWhichCellsCameNearIt() {
		RunResult run = run(cell("sync", 190), cell("queued", 400));

		assertThat(new Bottlenecks(run).sentences(run))
			.containsExactly("Bottleneck of 1 of 2 cells: 10 in flight, each for the backend's time, allow 200/s.");
	}

	@Test
	void aCellFarFromItIsNotLimitedByIt() {
		RunResult run = run(cell("sync", 169));

		assertThat(new Bottlenecks(run).sentences(run)).isEmpty();
	}

	@Test
	void aCellIsNearItFromEightyFivePerCentOn() {
		RunResult run = run(cell("sync", 170), cell("sync", 199));

		assertThat(new Bottlenecks(run).sentences(run))
			.containsExactly("Bottleneck of 2 of 2 cells: 10 in flight, each for the backend's time, allow 200/s.");
	}

	@Test
	void theConsumersLimitIsTheCeilingOfTheQueuedMode() {
		RunResult run = run(cell("queued", 950));

		assertThat(new Bottlenecks(run).sentences(run))
			.containsExactly("Bottleneck of 1 of 1 cells: the consumer's limit allows 1,000/s.");
	}

	@Test
	void aCellOfUnknownUtilisationMayBeNearItsCeiling() {
		RunResult run = run(bottleneck("sync", null));

		assertThat(new Bottlenecks(run).sentences(run))
			.containsExactly("Bottleneck of 1 of 1 cells: 10 in flight, each for the backend's time, allow 200/s.");
	}

	@Test
	void limitsOfOtherServicesAndOtherSizesAreOtherLimits() {
		RunResult run = run(bottleneck("sync", new Bottleneck.Limit("gateway", "calls", 7, 0.5)),
				bottleneck("sync", new Bottleneck.Limit("gateway", "calls", 7, 0.9)),
				bottleneck("sync", new Bottleneck.Limit("gateway", "calls", 8, 0.5)),
				bottleneck("sync", new Bottleneck.Limit("consumer", "calls", 7, 0.5)));

		assertThat(new Bottlenecks(run).sentences(run)).hasSize(3)
			.first()
			.asString()
			.startsWith(
					"Bottleneck of 2 of 4 cells, first in reactive sync, unlimited, 10 in flight: The gateway was at its"
							+ " limit of 7 calls for 50 %");
	}

	@Test
	void saysNoMoreThanTheThreeThatLimitedMostCells() {
		RunResult run = run(bottleneck("sync", new Bottleneck.Generator(80)),
				bottleneck("sync", new Bottleneck.Cpu(0.97, "kafka", 0.3)),
				bottleneck("sync", new Bottleneck.BackendLatency(10, 50)),
				bottleneck("sync", new Bottleneck.BackendLatency(9, 50)),
				bottleneck("sync", new Bottleneck.Limit("gateway", "calls", 7, 0.5)),
				bottleneck("sync", new Bottleneck.Limit("gateway", "calls", 7, 0.6)),
				bottleneck("sync", new Bottleneck.Limit("gateway", "calls", 7, 0.7)));

		assertThat(new Bottlenecks(run).sentences(run)).satisfiesExactly(
				(most) -> assertThat(most).startsWith("Bottleneck of 3 of 7 cells").contains("limit of 7 calls"),
				(second) -> assertThat(second).startsWith("Bottleneck of 2 of 7 cells").contains("The backend held 10"),
				(third) -> assertThat(third).startsWith("Bottleneck of 1 of 7 cells:"));
	}

	@Test
	void saysOnceWhatLimitedSeveralCells() {
		RunResult run = run(bottleneck("sync", new Bottleneck.Limit("gateway", "calls", 7, 0.5)),
				bottleneck("queued", new Bottleneck.Cpu(0.97, "kafka", 0.3)),
				bottleneck("queued", new Bottleneck.Cpu(0.94, "gateway", 0.4)));

		assertThat(new Bottlenecks(run).sentences(run)).containsExactly(
				"Bottleneck of 2 of 3 cells, first in reactive queued, unlimited, 10 in flight: 97 % of the machine's CPU was used, most of it (30 %) by kafka.",
				"Bottleneck of 1 of 3 cells: The gateway was at its limit of 7 calls for 50 % of the time.");
	}

	private static CellResult bottleneck(String mode, @Nullable Bottleneck bottleneck) {
		CellResult cell = cell(mode, 190);
		return new CellResult(cell.cell(), cell.start(), cell.end(), cell.calls(), 0, Map.of(), cell.accepted(),
				cell.saved(), cell.savedPerSecond(), cell.acceptedPerSecond(), null, null, null, Map.of(), 0L, 0, 0.0,
				0, null, new Utilisation(0.6, 0.01, Map.of(), List.of(), 50.2, 48.0, 996.0, bottleneck), List.of());
	}

	private static CellResult cell(String mode, double perSecond) {
		return Runs.rate(new Cell("reactive", mode, "unlimited", TEN, 1), perSecond);
	}

	private static RunResult run(CellResult... cells) {
		return Runs.found("compare",
				new CompareResult(List.of(cells), List.of(), null, List.of(), new Setup(50, Map.of("unlimited", 50L))));
	}

}
