package dev.sluice.lab.surge;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;

import dev.sluice.lab.kit.cell.Timing;
import dev.sluice.lab.kit.cell.Window;
import dev.sluice.lab.kit.client.OpenClient.Requests;
import dev.sluice.lab.kit.client.OpenClient.Step;
import dev.sluice.lab.kit.process.ProcessSamples;
import dev.sluice.lab.kit.result.SurgeResult.Outcomes;
import dev.sluice.lab.kit.result.SurgeResult.Part;

/**
 * The figures of one run. Orders belong to the second in which they were due, so that
 * those of a stall are found where it began.
 *
 * @param samples of the process {@value #GATEWAY}
 */
record SurgeEvaluation(List<Step> steps, Requests requests, ProcessSamples samples) {

	/** The gateway's name in the samples. */
	static final String GATEWAY = "gateway";

	private static final int TOO_MANY_REQUESTS = 429;

	private static final int UNAVAILABLE = 503;

	/** Each step of the load. */
	List<Part> parts() {
		return parts((step) -> (int) step.duration().toSeconds());
	}

	/** Each second of the load. */
	List<Part> seconds() {
		return parts((_) -> 1);
	}

	/** The steps in parts of so many seconds. */
	private List<Part> parts(ToIntFunction<Step> length) {
		List<Part> parts = new ArrayList<>();
		int begin = 0;
		int number = 0;
		for (Step step : this.steps) {
			int seconds = (int) step.duration().toSeconds();
			int each = length.applyAsInt(step);
			for (int from = 0; from < seconds; from += each) {
				parts.add(part(begin + from, begin + from + each, number + requests(step, from),
						number + requests(step, from + each)));
			}
			begin += seconds;
			number += step.requests();
		}
		return parts;
	}

	/** The number of a step's requests that are due before a second of it has ended. */
	private static int requests(Step step, int seconds) {
		return (int) Math.min(step.requests(), Math.ceil(step.requestsPerSecond() * seconds));
	}

	private Part part(int fromSecond, int toSecond, int from, int to) {
		int[] accepted = this.requests.latencies(from, to, (status) -> status / 100 == 2);
		int refused = this.requests.latencies(from, to,
				(status) -> status == TOO_MANY_REQUESTS || status == UNAVAILABLE).length;
		int notSent = this.requests.latencies(from, to, (status) -> status == Requests.NOT_SENT).length;
		int failed = to - from - accepted.length - refused - notSent;
		Instant start = this.requests.start();
		Window window = new Window(start.plusSeconds(fromSecond), start.plusSeconds(toSecond));
		return new Part(fromSecond + 1, toSecond, new Outcomes(to - from, accepted.length, refused, failed, notSent),
				Timing.of(accepted), this.samples.cpuShare(GATEWAY, window),
				this.samples.peakRssBytes(GATEWAY, window));
	}

}
