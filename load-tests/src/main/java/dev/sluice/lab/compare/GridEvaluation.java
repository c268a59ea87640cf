package dev.sluice.lab.compare;

import java.time.Instant;
import java.util.List;

import dev.sluice.lab.kit.measure.OrderCalls;
import dev.sluice.lab.kit.measure.OrderCalls.Call;
import dev.sluice.lab.kit.statistics.Latencies;
import dev.sluice.lab.kit.process.ProcessSamples;
import dev.sluice.lab.kit.statistics.Window;
import dev.sluice.lab.kit.plan.PhaseOutcome;
import dev.sluice.lab.kit.result.GridResult.Cell;
import dev.sluice.lab.kit.result.GridResult.Cost;
import org.jspecify.annotations.Nullable;

/**
 * Divides the recordings of a gateway's round among its cells. A cell lasts from its
 * first request to its last answer: each user sends a whole number of requests in it, so
 * the rate has no error from requests that a fixed end would cut off.
 *
 * @param gateway the gateway's name in the samples
 * @param cores number of processors of the machine
 */
record GridEvaluation(ProcessSamples samples, String gateway, int cores) {

	Cell evaluate(String subject, long delayMillis, int concurrency, PhaseOutcome outcome, OrderCalls calls) {
		List<Call> answered = calls.answered();
		Instant start = calls.start(outcome.endedAt());
		Instant end = calls.calls().stream().map(Call::end).max(Instant::compareTo).orElse(start);
		Window window = new Window(start, end);
		return new Cell(subject, delayMillis, concurrency, window.seconds(), answered.size(), calls.failures(),
				Latencies.timing(
						answered.stream().mapToInt((call) -> Math.toIntExact(call.ended() - call.sent())).toArray()),
				outcome.audit().maxInFlight(), cost(window, answered.size()),
				this.samples.foreignCpuShare(window, this.cores));
	}

	private Cost cost(Window window, long answered) {
		Double cpuMillis = this.samples.cpuMillis(this.gateway, window);
		return new Cost(per(cpuMillis, answered), per(cpuMillis, window.length().toMillis()),
				this.samples.peakRssBytes(this.gateway, window), this.samples.peakThreads(this.gateway, window));
	}

	private static @Nullable Double per(@Nullable Double amount, long count) {
		return (amount != null && count > 0) ? amount / count : null;
	}

}
