package dev.sluice.lab.compare.page;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import dev.sluice.lab.kit.cell.Cell;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.CellResult.ServiceCost;
import dev.sluice.lab.kit.cell.CellResult.Wait;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.result.Runs;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ModeOverviewTests {

	private final List<CellResult> cells = new ArrayList<>();

	/** With 400 orders saved per second in either mode. */
	@Test
	void saysFirstThatQueuedOrdersAreSavedLaterAndWhichBacklogMakesIt() {
		pair("workers", 10, median(50), median(60), median(10), median(5_000));
		pair("workers", 10, median(50), median(50), median(12.5), median(4_000));
		pair("workers", 100, median(250), median(250), median(240), median(240));
		pair("workers", 100, median(250), median(250), median(260), median(260));

		assertThat(answers()).singleElement()
			.isEqualTo(
					"Slow backend (20 workers): sync saves an order sooner at 10 in flight, no clear difference at 100 in flight (a queued one waits behind up to 6,000 placed before it, a limit of this run); queued answers sooner at 10 in flight, no clear difference at 100 in flight; no call fails.");
		assertThat(ModeOverview.phrases(loads()).rows()).containsExactly(
				List.of("Slow backend (20 workers)", "10 in flight", "sync, 81.6 times (80 to 83.3)",
						"queued, 4.47 times (4 to 5)", "no clear difference (1)", "–", "none", "2"),
				List.of("Slow backend (20 workers)", "100 in flight", "no clear difference (0.96 to 1.04)",
						"no clear difference (0.96 to 1.04)", "no clear difference (1)", "–", "none", "2"));
	}

	@Test
	void saysWhatFailsAndWhatAnOrderCosts() {
		for (int repetition = 1; repetition <= 2; repetition++) {
			this.cells.add(spent("sync", repetition, 30, 4.0));
			this.cells.add(spent("queued", repetition, 0, 2.0));
		}

		assertThat(answers()).singleElement()
			.asString()
			.endsWith("of the calls, up to 30 % fail with sync, none with queued.");
		assertThat(ModeOverview.phrases(loads()).rows()).singleElement()
			.asInstanceOf(InstanceOfAssertFactories.list(String.class))
			.contains("queued, 2 times (2)", "sync 30 %, queued 0 %");
		assertThat(ModeOverview.lines(loads())).singleElement()
			.asString()
			.endsWith("; less CPU for an order: queued, 2 times (2); failed calls: sync 30 %, queued 0 %");
	}

	private List<String> answers() {
		return ModeOverview.answers(loads());
	}

	private List<ModeByLoad> loads() {
		return ModeByLoad.of(Runs.run("compare", null, this.cells));
	}

	private static Wait median(double millis) {
		return new Wait(2_000, 0, millis, null, null);
	}

	private void pair(String capacity, int load, Wait syncAccepted, Wait syncSaved, Wait queuedAccepted,
			Wait queuedSaved) {
		int repetition = 1 + this.cells.size() / 2;
		this.cells
			.add(Runs.waiting(Runs.rate(new Cell("reactive", "sync", capacity, Load.inFlight(load), repetition), 400),
					syncAccepted, syncSaved));
		this.cells
			.add(Runs.waiting(Runs.rate(new Cell("reactive", "queued", capacity, Load.inFlight(load), repetition), 400),
					queuedAccepted, queuedSaved));
	}

	private static CellResult spent(String mode, int repetition, long failed, double cpuMillis) {
		CellResult rate = Runs.rate(new Cell("reactive", mode, "workers", Load.inFlight(10), repetition), 400);
		return new CellResult(rate.cell(), rate.start(), rate.end(), 100, failed, Map.of(), 100 - failed, 100 - failed,
				400, 400, null, null, null, Map.of("gateway", new ServiceCost(cpuMillis, null, null, null, null, null),
						"load-generator", new ServiceCost(9.0, null, null, null, null, null)),
				0L, 0, 0.0, 0, null, null);
	}

}
