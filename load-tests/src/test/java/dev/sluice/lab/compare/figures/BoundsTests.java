package dev.sluice.lab.compare.figures;

import java.util.List;
import java.util.Map;

import dev.sluice.lab.kit.cell.Bound;
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

class BoundsTests {

	private static final Load TEN = Load.inFlight(10);

	@Test
	void theCeilingIsTheLimitByTheBackendsTime() {
		Bounds bounds = new Bounds(run());

		assertThat(bounds.ceiling("unlimited", "sync", TEN)).hasValue(200);
		assertThat(bounds.ceiling("unlimited", "queued", TEN)).hasValue(1_000);
		assertThat(bounds.ceiling("unlimited", "sync", new Load(Load.Kind.OFFERED, 10))).isEmpty();
		assertThat(bounds.ceiling("log-normal", "sync", TEN)).isEmpty();
		assertThat(new Bounds(Runs.full()).ceiling("unlimited", "sync", TEN)).isEmpty();
		assertThat(new Bounds(Runs.client()).ceiling("unlimited", "sync", TEN)).isEmpty();
	}

	@Test
	void aBackendThatTakesNoTimeIsNoCeiling() {
		Bounds bounds = new Bounds(Runs.found("compare",
				new CompareResult(List.of(), List.of(), null, List.of(), new Setup(50, Map.of("unlimited", 0L)))));

		assertThat(bounds.ceiling("unlimited", "sync", TEN)).isEmpty();
		assertThat(bounds.ceiling("unlimited", "queued", TEN)).isEmpty();
	}

	@Test
	void saysWhichCellsCameNearIt() {
		RunResult run = run(cell("sync", 190), cell("queued", 400));

		assertThat(new Bounds(run).sentences(run))
			.containsExactly("Bound in 1 of 2 cells: 10 in flight, each for the backend's time, allow 200/s.");
	}

	@Test
	void aCellFarFromItIsNotBound() {
		RunResult run = run(cell("sync", 169));

		assertThat(new Bounds(run).sentences(run)).isEmpty();
	}

	@Test
	void aCellIsNearItFromEightyFivePerCentOn() {
		RunResult run = run(cell("sync", 170), cell("sync", 199));

		assertThat(new Bounds(run).sentences(run))
			.containsExactly("Bound in 2 of 2 cells: 10 in flight, each for the backend's time, allow 200/s.");
	}

	@Test
	void theConsumersLimitBoundsTheQueuedMode() {
		RunResult run = run(cell("queued", 950));

		assertThat(new Bounds(run).sentences(run))
			.containsExactly("Bound in 1 of 1 cells: the consumer's limit allows 1,000/s.");
	}

	@Test
	void aCellOfWhichWhatBoundItIsNotKnownMayBeNearItsCeiling() {
		RunResult run = run(bound("sync", null));

		assertThat(new Bounds(run).sentences(run))
			.containsExactly("Bound in 1 of 1 cells: 10 in flight, each for the backend's time, allow 200/s.");
	}

	@Test
	void limitsOfOtherServicesAndOtherSizesAreOtherLimits() {
		RunResult run = run(bound("sync", new Bound.Limit("gateway", "calls", 7, 0.5)),
				bound("sync", new Bound.Limit("gateway", "calls", 7, 0.9)),
				bound("sync", new Bound.Limit("gateway", "calls", 8, 0.5)),
				bound("sync", new Bound.Limit("consumer", "calls", 7, 0.5)));

		assertThat(new Bounds(run).sentences(run)).hasSize(3)
			.first()
			.asString()
			.startsWith("Bound in 2 of 4 cells, first in reactive sync, unlimited, 10 in flight: The gateway was at its"
					+ " limit of 7 calls for 50 %");
	}

	@Test
	void saysNoMoreThanTheThreeThatBoundMostCells() {
		RunResult run = run(bound("sync", new Bound.Generator(80)), bound("sync", new Bound.Cpu(0.97, "kafka", 0.3)),
				bound("sync", new Bound.BackendLatency(10, 50)), bound("sync", new Bound.BackendLatency(9, 50)),
				bound("sync", new Bound.Limit("gateway", "calls", 7, 0.5)),
				bound("sync", new Bound.Limit("gateway", "calls", 7, 0.6)),
				bound("sync", new Bound.Limit("gateway", "calls", 7, 0.7)));

		assertThat(new Bounds(run).sentences(run)).satisfiesExactly(
				(most) -> assertThat(most).startsWith("Bound in 3 of 7 cells").contains("limit of 7 calls"),
				(second) -> assertThat(second).startsWith("Bound in 2 of 7 cells").contains("The backend held 10"),
				(third) -> assertThat(third).startsWith("Bound in 1 of 7 cells:"));
	}

	@Test
	void saysOnceWhatBoundSeveralCells() {
		RunResult run = run(bound("sync", new Bound.Limit("gateway", "calls", 7, 0.5)),
				bound("queued", new Bound.Cpu(0.97, "kafka", 0.3)),
				bound("queued", new Bound.Cpu(0.94, "gateway", 0.4)));

		assertThat(new Bounds(run).sentences(run)).containsExactly(
				"Bound in 2 of 3 cells, first in reactive queued, unlimited, 10 in flight: 97 % of the machine's CPU was used, most of it (30 %) by kafka.",
				"Bound in 1 of 3 cells: The gateway was at its limit of 7 calls for 50 % of the time.");
	}

	private static CellResult bound(String mode, @Nullable Bound bound) {
		CellResult cell = cell(mode, 190);
		return new CellResult(cell.cell(), cell.start(), cell.end(), cell.calls(), 0, Map.of(), cell.accepted(),
				cell.saved(), cell.savedPerSecond(), cell.acceptedPerSecond(), null, null, null, Map.of(), 0L, 0, 0.0,
				0, null, new Utilisation(0.6, 0.01, Map.of(), List.of(), 50.2, 48.0, 996.0, bound), List.of());
	}

	private static CellResult cell(String mode, double perSecond) {
		return Runs.rate(new Cell("reactive", mode, "unlimited", TEN, 1), perSecond);
	}

	private static RunResult run(CellResult... cells) {
		return Runs.found("compare",
				new CompareResult(List.of(cells), List.of(), null, List.of(), new Setup(50, Map.of("unlimited", 50L))));
	}

}
