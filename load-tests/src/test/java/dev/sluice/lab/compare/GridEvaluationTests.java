package dev.sluice.lab.compare;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import dev.sluice.contract.BackendAudit;
import dev.sluice.lab.kit.measure.OrderCalls;
import dev.sluice.lab.kit.measure.OrderCalls.Call;
import dev.sluice.lab.kit.process.ProcessSamples;
import dev.sluice.lab.kit.plan.PhaseOutcome;
import dev.sluice.lab.kit.result.GridResult.Cell;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class GridEvaluationTests {

	private static final Instant START = Instant.parse("2026-11-21T09:00:00Z");

	private final List<Call> calls = new ArrayList<>();

	@Test
	void rateIsOfTheTimeFromTheFirstRequestToTheLastAnswer() {
		add(0, 500, "201");
		add(0, 500, "201");
		add(500, 1_000, "201");
		add(500, 2_000, "201");

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
		add(0, 100, "201");
		add(0, 3, "HTTP 503 overloaded");

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

	private void add(long fromMillis, long toMillis, String result) {
		long start = START.toEpochMilli();
		this.calls.add(new Call(0, 0, (start + fromMillis) * 1_000, (start + toMillis) * 1_000, result));
	}

	private Cell evaluate(int concurrency, int mostInBackend) {
		PhaseOutcome outcome = new PhaseOutcome("cell", 0, 0, 0, START.plusSeconds(9),
				new BackendAudit(0, 0, 0, 0, 0, 0, mostInBackend, 0, 0, null), 0, List.of());
		return new GridEvaluation(ProcessSamples.NONE, "gateway", 2).evaluate("reactive", 500, concurrency, outcome,
				new OrderCalls(this.calls));
	}

}
