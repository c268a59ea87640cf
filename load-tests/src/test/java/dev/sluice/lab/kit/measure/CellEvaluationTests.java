package dev.sluice.lab.kit.measure;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import dev.sluice.contract.BackendAudit;
import dev.sluice.lab.kit.cell.Bottleneck;
import dev.sluice.lab.kit.cell.Cell;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.CellResult.ServiceCost;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.cell.Utilisation;
import dev.sluice.lab.kit.cell.Window;
import dev.sluice.lab.kit.measure.GcLog.Pause;
import dev.sluice.lab.kit.measure.OrderCalls.Call;
import dev.sluice.lab.kit.measure.OrderCalls.OrderTimes;
import dev.sluice.lab.kit.measure.PrometheusScraper.Scrapes;
import dev.sluice.lab.kit.measure.PrometheusScraper.Scrapes.Scrape;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.plan.Phase.Outcome;
import dev.sluice.lab.kit.process.ProcessSampler.Sample;
import dev.sluice.lab.kit.process.ProcessSamples;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class CellEvaluationTests {

	private static final Instant T0 = Instant.parse("2026-01-01T00:00:00Z");

	private static final Cell CELL = new Cell("reactive", "queued", "unlimited", Load.inFlight(4), 1);

	/** Calls of the backend, and the seconds that they took. */
	private static final String CALLS = """
			sluice_backend_duration_seconds_count %s
			sluice_backend_duration_seconds_sum %s
			""";

	/** Two services that use 0.1 of two cores each, and others as much as one of them. */
	private static final ProcessSamples SAMPLED = sampled(60);

	private final List<Call> calls = new ArrayList<>(List.of(ok(0, 20), ok(10, 40), call(15, 18, "HTTP 503 overloaded"),
			call(15, 18, "no answer"), ok(1_200, 1_210), ok(1_900, 2_100)));

	@Test
	void windowRunsFromTheFirstRequestToTheLastSave() {
		CellResult result = evaluate(outcome(4, 4, 2_000), SAMPLED, Map.of());

		assertThat(result.start()).isEqualTo(at(0));
		assertThat(result.end()).isEqualTo(at(2_000));
		assertThat(result.savedPerSecond()).isEqualTo(2);
		assertThat(result.acceptedPerSecond()).isCloseTo(4 / 2.1, within(1e-9));
		assertThat(result.calls()).isEqualTo(6);
		assertThat(result.failedCalls()).isEqualTo(2);
		assertThat(result.accepted()).isEqualTo(4);
		assertThat(result.failures()).containsOnly(Map.entry("HTTP 503 overloaded", 1L), Map.entry("no answer", 1L));
		assertThat(result.latency()).isNotNull().satisfies((latency) -> assertThat(latency.max()).isEqualTo(200));
		assertThat(result.problem()).isNull();
	}

	@Test
	void saysWhatBoundTheCell() {
		// Six calls took 266 ms, in two seconds.
		assertThat(bottleneck(CELL, SAMPLED, Map.of())).isEqualTo(new Bottleneck.InFlight(0.133, 266 / 6.0, 0.15));
		assertThat(bottleneck(CELL, sampled(390), Map.of()))
			.isEqualTo(new Bottleneck.Cpu(0.975, "other processes", 0.875));
	}

	@Test
	void aLateGeneratorIsTheBottleneck() {
		Outcome late = new Outcome("phase", 4, 4, at(9_000), new BackendAudit(4, 4, 0, 0, 0, 0, 3, 2, 0, at(2_000)),
				300);

		assertThat(evaluate(late, SAMPLED, Map.of()).utilisation()).extracting(Utilisation::bottleneck)
			.isEqualTo(new Bottleneck.Generator(300));
	}

	@Test
	void theBackendIsTheBottleneckOfACellWhoseCallsWaitForIt() {
		Cell sync = new Cell("reactive", "sync", "unlimited", Load.inFlight(4), 1);
		Map<String, Scrapes> backend = Map.of("backend",
				scrapes("sluice_backend_in_flight 1.0\n" + CALLS.formatted(0, 0),
						"sluice_backend_in_flight 1.0\n" + CALLS.formatted(1_000, 50)));

		assertThat(bottleneck(sync, SAMPLED, backend)).isEqualTo(new Bottleneck.BackendLatency(1, 50));
		assertThat(bottleneck(CELL, SAMPLED, backend)).isInstanceOf(Bottleneck.InFlight.class);
	}

	/**
	 * Four orders in two seconds are four fifths of what the limit and the latency allow.
	 */
	@ParameterizedTest
	@CsvSource({ "4.0, Limit", "3.0, Cpu" })
	void theRateDecidesWhetherALimitExplainsIt(String seconds, String bottleneck) {
		String limit = "sluice_delivery_in_flight 1.0\nsluice_delivery_limit 1.0\n";
		Scrapes consumer = scrapes(limit + CALLS.formatted(0, 0), limit + CALLS.formatted(10, seconds));

		assertThat(String.valueOf(bottleneck(CELL, sampled(400), Map.of("consumer", consumer)))).startsWith(bottleneck);
	}

	@Test
	void aServiceThatWasNotScrapedIsAProblem() {
		CellResult result = evaluate(CELL, outcome(4, 4, 2_000), SAMPLED, Map.of("gateway", new Scrapes(List.of())));

		assertThat(result.problem()).isEqualTo("the metrics of gateway were scraped 0 times in 2 s");
	}

	@Test
	void whatOthersUseInAShortWindowIsThatOfTheSecondAroundIt() {
		CellEvaluation evaluation = new CellEvaluation(SAMPLED, Map.of(), Map.of(), List.of(), 2);

		assertThat(evaluation.foreignCpuShare(new Window(at(100), at(250)))).isCloseTo(0.05, within(1e-9));
	}

	@Test
	void saysWhatIsMissing() {
		CellResult result = evaluate(outcome(4, 3, 500), new ProcessSamples(List.of()), Map.of());

		assertThat(result.end()).as("the time it gave up").isEqualTo(at(9_000));
		assertThat(result.problem()).contains("1 of 4 orders were not saved");
	}

	@Test
	void doubtsMoreOrdersThanWerePlacedAndNotesThatDisagree() {
		CellResult result = evaluate(outcome(3, 6, 2_000), new ProcessSamples(List.of()), Map.of());

		assertThat(result.problem()).contains("saved 2 orders more").contains("the load generator counted 3");
	}

	@Test
	void costsAreCountersByOrders() {
		List<Sample> samples = new ArrayList<>();
		for (int i = -1; i <= 11; i++) {
			samples.add(new Sample(at(i * 200L), "gateway", 1_000 + i * 20, 100L + i, 30 + i, null));
			samples.addAll(machine(i, 5_000 + i * 60, 1_000 + i * 20));
		}
		GcLog collector = new GcLog(List.of(new Pause(at(-5), Duration.ofMillis(6)),
				new Pause(at(500), Duration.ofMillis(1)), new Pause(at(1_500), Duration.ofMillis(3))));

		CellResult result = evaluate(outcome(4, 4, 2_000), new ProcessSamples(samples), Map.of("gateway", collector));

		ServiceCost gateway = result.services().get("gateway");
		assertThat(gateway).isEqualTo(new ServiceCost(50.0, 2, 4.0, 3.0, 39, 109L));
		assertThat(result.services().get("backend")).isEqualTo(new ServiceCost(null, null, null, null, null, null));
		// 40 ms of 200 ms of two cores.
		assertThat(result.foreignCpuShare()).isCloseTo(0.1, within(1e-9));
	}

	@Test
	void whatWasNotSampledIsNotKnownRatherThanZero() {
		CellResult result = evaluate(outcome(4, 4, 2_000), new ProcessSamples(List.of()), Map.of());

		assertThat(result.foreignCpuShare()).isNull();
		assertThat(Reliability.of(result)).containsExactly("the CPU time of gateway, backend is not known",
				"what other processes used of the machine's CPU is not known");
	}

	@Test
	void aServiceThatWasNotSampledIsAProblem() {
		List<Sample> withoutBackend = SAMPLED.samples()
			.stream()
			.filter((sample) -> !sample.process().equals("backend"))
			.toList();

		CellResult result = evaluate(outcome(4, 4, 2_000), new ProcessSamples(withoutBackend), Map.of());

		assertThat(result.problem()).isEqualTo("the CPU time of backend is not known");
	}

	@Test
	void aWindowShorterThanTwoSamplesHasNoSampledCost() {
		List<Sample> samples = List.of(Sample.ofCpu(at(-100), "gateway", 0), Sample.ofCpu(at(100), "gateway", 10),
				Sample.ofCpu(at(300), "gateway", 20));
		this.calls.clear();
		this.calls.addAll(List.of(ok(0, 20), ok(0, 20), ok(0, 20), ok(0, 20)));

		CellResult result = evaluate(outcome(4, 4, 150), new ProcessSamples(samples), Map.of());

		assertThat(result.services().get("gateway").cpuMillisPerOrder()).isNull();
		assertThat(result.problem()).isNull();
	}

	private CellResult evaluate(Outcome outcome, ProcessSamples samples, Map<String, GcLog> collectors) {
		return evaluate(CELL, outcome, samples, collectors, Map.of());
	}

	private CellResult evaluate(Cell cell, Outcome outcome, ProcessSamples samples, Map<String, Scrapes> scrapes) {
		return evaluate(cell, outcome, samples, Map.of(), scrapes);
	}

	private CellResult evaluate(Cell cell, Outcome outcome, ProcessSamples samples, Map<String, GcLog> collectors,
			Map<String, Scrapes> scrapes) {
		return new CellEvaluation(samples, collectors, scrapes, List.of("gateway", "backend"), 2).evaluate(cell,
				outcome, new OrderCalls(this.calls), new OrderTimes(List.of()));
	}

	private @Nullable Bottleneck bottleneck(Cell cell, ProcessSamples samples, Map<String, Scrapes> scrapes) {
		Utilisation utilisation = evaluate(cell, outcome(4, 4, 2_000), samples, scrapes).utilisation();
		assertThat(utilisation).isNotNull();
		return utilisation.bottleneck();
	}

	/** One scrape each second. */
	private static Scrapes scrapes(String... bodies) {
		return new Scrapes(IntStream.range(0, bodies.length)
			.mapToObj((i) -> new Scrape(at(1_000L * i), Exposition.parse(bodies[i], (_) -> true)))
			.toList());
	}

	private static Outcome outcome(long accepted, long saved, long lastSavedMillis) {
		return new Outcome("phase", 4, accepted, at(9_000),
				new BackendAudit(saved, saved, 0, 0, 0, 0, 3, 2, 0, at(lastSavedMillis)), 0);
	}

	private static Call ok(long start, long end) {
		return call(start, end, "201");
	}

	private static Call call(long start, long end, String result) {
		long epoch = T0.toEpochMilli();
		return new Call(0, 0, (epoch + start) * 1_000, (epoch + end) * 1_000, result);
	}

	private static ProcessSamples sampled(int busyMillis) {
		List<Sample> samples = new ArrayList<>();
		for (int i = -5; i <= 50; i++) {
			samples.add(Sample.ofCpu(at(i * 200L), "gateway", 1_000 + i * 20));
			samples.add(Sample.ofCpu(at(i * 200L), "backend", 1_000 + i * 20));
			samples.addAll(machine(i, 9_000 + i * busyMillis, 2_000 + i * 40));
		}
		return new ProcessSamples(samples);
	}

	private static List<Sample> machine(int sampling, long busyMillis, long ownMillis) {
		return List.of(Sample.ofCpu(at(sampling * 200L), Sample.MACHINE, busyMillis),
				Sample.ofCpu(at(sampling * 200L), Sample.OWN, ownMillis));
	}

	private static Instant at(long millis) {
		return T0.plusMillis(millis);
	}

}
