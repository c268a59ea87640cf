package dev.sluice.lab.grid;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import dev.sluice.contract.BackendAudit;
import dev.sluice.lab.kit.measure.GatlingLog;
import dev.sluice.lab.kit.measure.GatlingLog.Request;
import dev.sluice.lab.kit.process.ProcessSamples;
import dev.sluice.lab.kit.plan.PhaseOutcome;
import dev.sluice.lab.kit.result.GridResult.Cell;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class GridEvaluationTests {

	private static final Instant START = Instant.parse("2026-11-21T09:00:00Z");

	private final List<Request> requests = new ArrayList<>();

	@Test
	void rateIsOfTheTimeFromTheFirstRequestToTheLastAnswer() {
		add("cell", 0, 500, true, "");
		add("cell", 0, 500, true, "");
		add("cell", 500, 1_000, true, "");
		add("cell", 500, 2_000, true, "");
		add("other", 0, 9_000, true, "");

		Cell cell = evaluate(4, 2);

		assertThat(cell.answered()).isEqualTo(4);
		assertThat(cell.seconds()).isEqualTo(2);
		assertThat(cell.perSecond()).isEqualTo(2);
		assertThat(cell.latency()).isNotNull();
		assertThat(cell.latency().max()).isEqualTo(1_500);
		assertThat(cell.latency().min()).isEqualTo(500);
		assertThat(cell.queued()).isEqualTo(2);
	}

	@Test
	void refusedRequestsAreCountedAndNotAnswered() {
		add("cell", 0, 100, true, "");
		add("cell", 0, 3, false, "jmesPath(…).find.is(201 or 202), found 503 urn:sluice:problem:overloaded");

		Cell cell = evaluate(2, 2);

		assertThat(cell.answered()).isEqualTo(1);
		assertThat(cell.failures()).containsOnly(Map.entry("HTTP 503 overloaded", 1L));
		assertThat(cell.refused()).isEqualTo(1);
	}

	@Test
	void aCellWithoutRequestsHasNoRate() {
		Cell cell = evaluate(10, 0);

		assertThat(cell.perSecond()).isZero();
		assertThat(cell.latency()).isNull();
	}

	private void add(String name, long fromMillis, long toMillis, boolean ok, String message) {
		this.requests.add(new Request(name, START.plusMillis(fromMillis), START.plusMillis(toMillis), ok, message));
	}

	private Cell evaluate(int concurrency, int mostInBackend) {
		PhaseOutcome outcome = new PhaseOutcome("cell", 0, 0, 0, START.plusSeconds(9),
				new BackendAudit(0, 0, 0, 0, 0, 0, mostInBackend, 0, 0, null), 0, List.of());
		return new GridEvaluation(new GatlingLog("", START, this.requests, List.of(), false), ProcessSamples.NONE,
				"gateway", 2)
			.evaluate("reactive", 500, concurrency, outcome);
	}

}
