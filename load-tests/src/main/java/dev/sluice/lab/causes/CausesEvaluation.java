package dev.sluice.lab.causes;

import java.time.Instant;
import java.util.List;

import dev.sluice.lab.kit.measure.CellEvaluation;
import dev.sluice.lab.kit.measure.GatlingLog.Request;
import dev.sluice.lab.kit.statistics.Latencies;
import dev.sluice.lab.kit.metrics.ScrapedGauge;
import dev.sluice.lab.kit.statistics.Window;
import dev.sluice.lab.kit.plan.PhaseOutcome;
import dev.sluice.lab.kit.result.CausesResult;

/**
 * Divides a round's recordings among its cells. A cell ends when the last order is
 * answered, not when it is saved: an order that a slow backend saves after its client has
 * given up is of no use to that client.
 *
 * @param recorded the round's recordings
 * @param threads the gateway's threads, as scraped
 */
record CausesEvaluation(CellEvaluation recorded, ScrapedGauge threads) {

	CausesResult.Cell evaluate(CausesPlan.Cell cell, int repetition, PhaseOutcome outcome) {
		List<Request> calls = this.recorded.log()
			.requests()
			.stream()
			.filter((call) -> call.name().equals(outcome.name()))
			.toList();
		List<Request> answered = calls.stream().filter(Request::ok).toList();
		Instant start = calls.stream().map(Request::start).min(Instant::compareTo).orElse(outcome.endedAt());
		boolean whole = answered.size() == cell.orders();
		Instant end = whole ? answered.stream().map(Request::end).max(Instant::compareTo).orElse(start)
				: outcome.endedAt();
		Window window = new Window(start, end.isBefore(start) ? start : end);
		String problem = whole ? null
				: "%,d of %,d orders were answered when the run gave up".formatted(answered.size(), cell.orders());
		return new CausesResult.Cell(CausesPlan.name(cell.levels()), cell.orders(), repetition, cell.trial(),
				window.seconds(), answered.size(), calls.size(), CellEvaluation.failures(calls),
				Latencies.of(answered.stream().mapToLong(Request::millis).toArray()), outcome.audit().received(),
				outcome.audit().maxInFlight(), outcome.audit().connectionsOpened(),
				this.recorded.cost(this.recorded.gateway(), window, answered.size()), this.threads.meanIn(window),
				this.recorded.foreignCpuShare(window), problem);
	}

}
