package dev.sluice.lab.compare.page;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import dev.sluice.lab.compare.page.CellGroup.Series;
import dev.sluice.lab.kit.cell.Cell;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.CellResult.ServiceCost;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.result.Runs;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class CostTests {

	private static final Instant START = Instant.parse("2026-11-21T09:00:00Z");

	private static final Series SERIES = new Series("starved", "queued", "reactive");

	/**
	 * Cells of 400 in flight; the CPU of the gateway, and of the system, for an order.
	 */
	@ParameterizedTest
	@CsvSource(delimiter = '|', nullValues = "-",
			textBlock = """
					queued 400 100 gateway=2; queued 400 300 gateway=1             | 1.25 | 1.25
					# a repetition without a figure is no part of it
					queued 400 100 gateway=2; queued 400 300 gateway=?; queued 400 500 | 2 | 2
					queued 400 100 gateway=?                                       | -    | -
					# neither are another series and another load
					queued 400 100 gateway=2; sync 400 100 gateway=50; queued 399 100 gateway=50 | 2 | 2
					# a service that another series has makes it incomplete
					queued 400 100 gateway=2; sync 400 100 gateway=1 kafka=1       | 2    | -
					# without what measures
					queued 400 100 postgresql=1 lab=1 backend=1 load-generator=1; queued 400 100 consumer=1 kafka=1 gateway=1 | 1 | 5
					""")
	void whatAnOrderCostsIsTheSumOverTheOrdersSaved(String cells, @Nullable Double gateway, @Nullable Double system) {
		Cost cost = cost(cells);

		assertThat(cost.group().load()).isEqualTo(Load.inFlight(400));
		assertThat(cost.cpuMillis("gateway")).isEqualTo(gateway);
		assertThat(cost.systemCpuMillis()).isEqualTo(system);
	}

	@Test
	void tellsTheSystemsServicesFirstAndLastWhatMeasures() {
		assertThat(cost("queued 400 9 postgresql=1 lab=1 kafka=1 backend=1 load-generator=1 consumer=1 gateway=1")
			.services())
			.containsExactly("gateway", "consumer", "backend", "kafka", "postgresql", "lab", "load-generator");
	}

	/** A cell has its mode, its load, the orders saved, and services with their costs. */
	private static Cost cost(String cells) {
		List<CellResult> results = new ArrayList<>();
		for (String cell : cells.split("; ")) {
			String[] words = cell.split(" ");
			long saved = Long.parseLong(words[2]);
			Map<String, ServiceCost> services = new HashMap<>();
			Stream.of(words).skip(3).map((word) -> word.split("=")).forEach((cost) -> {
				Double millis = cost[1].equals("?") ? null : Double.valueOf(cost[1]);
				services.put(cost[0], new ServiceCost(millis, null, null, null, null, null));
			});
			results.add(new CellResult(
					new Cell(SERIES.variant(), words[0], SERIES.capacity(), Load.inFlight(Integer.parseInt(words[1])),
							results.size() + 1),
					START, START.plusSeconds(1), saved, 0, Map.of(), saved, saved, saved, saved, null, null, null,
					services, 70L, 12, 0.0, 0, null, null));
		}
		return Cost.of(Runs.run("compare", null, results))
			.stream()
			.filter((cost) -> cost.group().series().equals(SERIES))
			.findFirst()
			.orElseThrow();
	}

}
