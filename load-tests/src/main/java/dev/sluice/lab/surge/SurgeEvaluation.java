package dev.sluice.lab.surge;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

import dev.sluice.lab.kit.client.OpenClient.Requests;
import dev.sluice.lab.kit.client.OpenClient.Step;
import dev.sluice.lab.kit.process.ProcessSamples;
import dev.sluice.lab.kit.result.SurgeResult.Outcomes;
import dev.sluice.lab.kit.result.SurgeResult.Part;
import dev.sluice.lab.kit.result.SurgeResult.Second;
import dev.sluice.lab.kit.statistics.Latencies;
import dev.sluice.lab.kit.statistics.Window;
import org.jspecify.annotations.Nullable;

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

	/** Every second of the load. */
	List<Second> seconds() {
		List<Second> seconds = new ArrayList<>();
		int number = 0;
		for (Step step : this.steps) {
			for (int second = 1; second <= step.duration().toSeconds(); second++) {
				int from = number + requests(step, second - 1);
				int to = number + requests(step, second);
				Window window = window(seconds.size(), seconds.size() + 1);
				seconds.add(new Second(seconds.size() + 1, outcomes(from, to), Latencies.timing(accepted(from, to)),
						this.samples.cpuShare(GATEWAY, window), this.samples.peakRssBytes(GATEWAY, window)));
			}
			number += step.requests();
		}
		return seconds;
	}

	/** The number of a step's requests that are due before a second of it has ended. */
	private static int requests(Step step, int seconds) {
		return (int) Math.min(step.requests(), Math.ceil(step.requestsPerSecond() * seconds));
	}

	/** Each step of the load. */
	List<Part> parts(List<Second> seconds) {
		List<Part> parts = new ArrayList<>();
		int second = 0;
		int number = 0;
		for (Step step : this.steps) {
			int end = second + (int) step.duration().toSeconds();
			parts.add(part(step, number, second, seconds.subList(second, end)));
			second = end;
			number += step.requests();
		}
		return parts;
	}

	private Part part(Step step, int firstRequest, int begin, List<Second> seconds) {
		int end = begin + seconds.size();
		Window window = window(begin, end);
		Outcomes outcomes = outcomes(firstRequest, firstRequest + step.requests());
		Double cpuMillis = this.samples.cpuMillis(GATEWAY, window);
		return new Part(String.format(Locale.ROOT, "%,.0f/s for %s s", step.requestsPerSecond(), seconds.size()),
				begin + 1, end, outcomes,
				Latencies.timing(accepted(firstRequest, firstRequest + step.requests())), normalAfter(seconds),
				(cpuMillis != null && outcomes.accepted() > 0) ? cpuMillis / outcomes.accepted() : null,
				this.samples.peakRssBytes(GATEWAY, window));
	}

	/** Null if the last second is not normal. */
	private static @Nullable Integer normalAfter(List<Second> seconds) {
		int normal = seconds.size();
		while (normal > 0 && seconds.get(normal - 1).outcomes().isNormal()) {
			normal--;
		}
		return (normal < seconds.size()) ? Integer.valueOf(normal) : null;
	}

	private Window window(int fromSecond, int toSecond) {
		Instant start = this.requests.start();
		return new Window(start.plusSeconds(fromSecond), start.plusSeconds(toSecond));
	}

	private Outcomes outcomes(int from, int to) {
		int accepted = 0;
		int refused = 0;
		int notSent = 0;
		for (int number = from; number < to; number++) {
			int status = this.requests.status()[number];
			if (isAccepted(status)) {
				accepted++;
			}
			else if (status == TOO_MANY_REQUESTS || status == UNAVAILABLE) {
				refused++;
			}
			else if (status == Requests.NOT_SENT) {
				notSent++;
			}
		}
		return new Outcomes(to - from, accepted, refused, to - from - accepted - refused - notSent, notSent);
	}

	private int[] accepted(int from, int to) {
		return IntStream.range(from, to)
			.filter((number) -> isAccepted(this.requests.status()[number]))
			.map((number) -> this.requests.latencyMicros()[number])
			.toArray();
	}

	private static boolean isAccepted(int status) {
		return status >= 200 && status < 300;
	}

}
