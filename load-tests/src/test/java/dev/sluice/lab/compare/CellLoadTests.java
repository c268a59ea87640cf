package dev.sluice.lab.compare;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import dev.sluice.lab.kit.plan.BackendModel;
import dev.sluice.lab.kit.plan.Phase;
import dev.sluice.lab.kit.plan.Phase.Settling;
import dev.sluice.lab.kit.plan.Phase.Target;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.plan.Phase.WarmUpWindow;
import dev.sluice.lab.kit.cell.Cell;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.result.RunResult.Check;
import dev.sluice.lab.kit.plan.Phase.Client;
import dev.sluice.lab.kit.plan.Phase.Extent;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class CellLoadTests {

	private static final URI GATEWAY = URI.create("http://a:1");

	private static final WarmUpWindow WINDOW = new WarmUpWindow(5, 100, 1.0, 0.01);

	@Test
	void aCellInFlightLastsForATimeAndANumberOfOrders() {
		Phase phase = phase(CellLoad.lasting(Load.Kind.IN_FLIGHT, 45_000), 30);

		assertThat(phase.client().users()).isEqualTo(30);
		assertThat(phase.extent().lastMillis()).isEqualTo(10_000);
		assertThat(phase.extent().orders()).isEqualTo(2_000);
		assertThat(phase.deadlineMillis()).isEqualTo(45_000);
	}

	@Test
	void onlyWhatIsQueuedHasABacklogThatEndsACellInFlight() {
		CellLoad load = CellLoad.lasting(Load.Kind.IN_FLIGHT, 45_000);

		assertThat(phase(load, 30).extent().mostBacklog()).isZero();
		assertThat(load
			.phase("x", new Cell("reactive", "queued", "workers", Load.inFlight(30), 1),
					new Target(GATEWAY, Mode.QUEUED), BackendModel.WORKERS, true)
			.extent()
			.mostBacklog()).isEqualTo(6_000);
	}

	@Test
	void anOfferedCellHasTheOrdersThatAreDueInItsTimeAndNoFewerThanTheLeast() {
		CellLoad load = CellLoad.lasting(Load.Kind.OFFERED, 45_000);

		assertThat(phase(load, 1_000).extent().orders()).isEqualTo(10_000);
		assertThat(phase(load, 1_000).client().perSecond()).isEqualTo(1_000);
		assertThat(phase(load, 100).extent().orders()).isEqualTo(2_000);
		assertThat(phase(load, 100).deadlineMillis()).as("20 s of orders on top").isEqualTo(65_000);
		assertThat(phase(load, 100).extent().isTimed()).isFalse();
	}

	@Test
	void aBurstIsANumberOfOrders() {
		Phase phase = phase(CellLoad.burst(45_000, 4_000), 3_000);

		assertThat(phase.extent().orders()).isEqualTo(3_000);
		assertThat(phase.client().users()).isEqualTo(1_000);
		assertThat(phase.extent().isTimed()).isFalse();
	}

	@Test
	void theRatesOfAScenarioAreOfferedToWarmServices() {
		ComparePlan plan = Scenario.read(Path.of("scenarios/slow-partner.yaml")).plan("mine");
		CellLoad load = plan.load();

		assertThat(plan.cells()).extracting((cell) -> cell.load().size()).containsOnly(20, 60);
		assertThat(phase(load, 20).client()).isEqualTo(new Client(1_000, true, 20, 2));
		assertThat(phase(load, 20).extent()).isEqualTo(Extent.of(400));
		assertThat(load.settling().isLong()).isTrue();
	}

	@Test
	void aWarmUpIsWindowsOfLoadUntilTheyAgree() {
		List<Target> targets = List.of(new Target(GATEWAY, Mode.SYNC));
		CellLoad load = CellLoad.lasting(Load.Kind.IN_FLIGHT, 45_000);

		assertThat(load.warmUp(targets, List.of(Mode.SYNC))).singleElement().satisfies((phase) -> {
			assertThat(phase.targets()).isEqualTo(targets);
			assertThat(phase.warmUp()).isNotNull();
			assertThat(phase.warmUp().leastMillis()).isEqualTo(30_000);
			assertThat(phase.warmUp().mostMillis()).isEqualTo(360_000);
			assertThat(phase.extent().lastMillis()).isEqualTo(5_000);
		});
	}

	@Test
	void aWarmUpThatDidNotSettleFailsTheCheck() {
		CellLoad load = CellLoad.lasting(Load.Kind.IN_FLIGHT, 45_000);
		List<WarmUpWindow> settled = List.of(WINDOW, WINDOW);
		List<WarmUpWindow> rising = List.of(WINDOW, new WarmUpWindow(10, 200, 1.0, 0.01));

		assertThat(load.warmUpCheck(Map.of("1", settled))).get().extracting(Check::holds).isEqualTo(true);
		assertThat(load.warmUpCheck(Map.of("1", settled, "2", rising))).get().extracting(Check::holds).isEqualTo(false);
		assertThat(load.warmUpCheck(Map.of("1", settled, "2", rising))).get()
			.extracting(Check::detail)
			.asString()
			.contains("1 of 2 warm-ups", "; not before 2");
		assertThat(load.warmUpCheck(Map.of())).get().extracting(Check::holds).isEqualTo(false);
		assertThat(CellLoad.burst(1, 1).warmUpCheck(Map.of())).isEmpty();
	}

	@Test
	void saysHowFarAWarmUpIsAndWhatItWaitsFor() {
		assertThat(CellLoad.warming(new Settling(5_000, 30_000, 360_000),
				List.of(new WarmUpWindow(5, 100, 1.0, 0.5), new WarmUpWindow(10, 200, 1.0, 0.3))))
			.isEqualTo(
					"warm-up, 10 s of at most 360: orders saved per second 100, then 200 (until two in a row agree within 10 %), compiling 30 % of the CPU (until at most 5 %)");
	}

	private static Phase phase(CellLoad load, int size) {
		return load.phase("x", new Cell("reactive", "sync", "unlimited", new Load(load.kind(), size), 1),
				new Target(GATEWAY, Mode.SYNC), BackendModel.UNLIMITED, true);
	}

}
