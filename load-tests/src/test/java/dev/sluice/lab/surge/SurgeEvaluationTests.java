package dev.sluice.lab.surge;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;

import dev.sluice.lab.kit.client.OpenClient.Requests;
import dev.sluice.lab.kit.client.OpenClient.Step;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.process.ProcessSamples;
import dev.sluice.lab.kit.result.SurgeResult.Outcomes;
import dev.sluice.lab.kit.result.SurgeResult.Part;
import dev.sluice.lab.kit.result.SurgeResult.Run;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SurgeEvaluationTests {

	/** 10 orders in each of six seconds, and then 20 in each of two. */
	private static final List<Step> STEPS = List.of(new Step(10, Duration.ofSeconds(6)),
			new Step(20, Duration.ofSeconds(2)));

	private final int[] status = new int[100];

	SurgeEvaluationTests() {
		Arrays.fill(this.status, 202);
	}

	@Test
	void anOrderBelongsToTheSecondInWhichItWasDue() {
		this.status[9] = 503;
		this.status[10] = 429;
		this.status[11] = 500;
		this.status[12] = Requests.NOT_ANSWERED;
		this.status[60] = Requests.NOT_SENT;

		List<Part> seconds = evaluation().seconds();

		assertThat(seconds).extracting(Part::from).containsExactly(1, 2, 3, 4, 5, 6, 7, 8);
		assertThat(seconds).extracting(Part::outcomes)
			.startsWith(new Outcomes(10, 9, 1, 0, 0), new Outcomes(10, 7, 1, 2, 0), new Outcomes(10, 10, 0, 0, 0))
			.endsWith(new Outcomes(20, 19, 0, 0, 1), new Outcomes(20, 20, 0, 0, 0));
	}

	@Test
	void tellsEachStepAndWhenItBecameNormal() {
		this.status[25] = 503;
		this.status[99] = 503;

		List<Part> parts = evaluation().parts();
		Run run = new Run("reactive", Mode.QUEUED, 1, 0, null, null, null, parts, evaluation().seconds());

		assertThat(parts).extracting(Part::outcomes)
			.containsExactly(new Outcomes(60, 59, 1, 0, 0), new Outcomes(40, 39, 1, 0, 0));
		assertThat(parts).extracting(run::normalAfter).containsExactly(3, null);
		assertThat(parts).extracting(Part::from).containsExactly(1, 7);
		assertThat(parts).extracting(Part::to).containsExactly(6, 8);
	}

	@Test
	void latencyIsThatOfTheAccepted() {
		Arrays.fill(this.status, 0, 30, 503);
		int[] latency = new int[100];
		Arrays.fill(latency, 0, 30, 9_000_000);
		Arrays.fill(latency, 30, 100, 4_000);

		Part step = new SurgeEvaluation(STEPS, new Requests(Instant.EPOCH, new int[100], latency, this.status),
				new ProcessSamples(List.of()))
			.parts()
			.getFirst();

		assertThat(step.latency()).isNotNull();
		assertThat(step.latency().max()).isEqualTo(4);
	}

	@Test
	void aFractionalRateCountsEachOrderOnce() {
		List<Step> steps = List.of(new Step(2.5, Duration.ofSeconds(3)));
		Requests results = new Requests(Instant.EPOCH, new int[8], new int[8], Arrays.copyOf(this.status, 8));

		assertThat(new SurgeEvaluation(steps, results, new ProcessSamples(List.of())).seconds())
			.extracting((second) -> second.outcomes().due())
			.containsExactly(3, 2, 3);
	}

	private SurgeEvaluation evaluation() {
		return new SurgeEvaluation(STEPS, new Requests(Instant.EPOCH, new int[100], new int[100], this.status),
				new ProcessSamples(List.of()));
	}

}
