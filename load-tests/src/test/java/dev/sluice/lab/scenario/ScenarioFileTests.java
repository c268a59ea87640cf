package dev.sluice.lab.scenario;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;

import dev.sluice.contract.BackendBehaviour.Capacity;
import dev.sluice.contract.BackendBehaviour.Delay;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.stack.Variant;
import dev.sluice.lab.scenario.Scenario.Limits;
import dev.sluice.lab.scenario.Scenario.Load;
import dev.sluice.lab.scenario.Scenario.Orders;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class ScenarioFileTests {

	@TempDir
	private Path directory;

	static Stream<Path> shipped() throws IOException {
		try (Stream<Path> files = Files.list(Path.of("scenarios"))) {
			return files.toList().stream();
		}
	}

	@ParameterizedTest
	@MethodSource
	void shipped(Path file) throws IOException {
		Scenario scenario = ScenarioFile.read(file);

		assertThat(file).hasFileName(scenario.name() + ".yaml");
		assertThat(scenario.question()).endsWith("?");
	}

	@Test
	void readsEveryField() throws IOException {
		Scenario scenario = read("""
				question: Does it work?
				backend:
				  delay:
				    uniform: {from: 10ms, to: 2s}
				  capacity:
				    starved: {threads: 2, more-per-second: 3, most: 50, queue: 7}
				  errors: {share: 2.5%, status: 500}
				services:
				  gateways: [reactive, servlet-virtual]
				  heap: 1GB
				  collector: ZGC
				  delivery-concurrency: 20
				load:
				  modes: queued
				  rates: [50/s, 0.5/s]
				  for: 1min
				  in-flight: 300
				  items: 10
				  deadline: 90s
				  repetitions: 8
				limits: {p99: 250ms, failed-calls: 0%, saved-per-second: 100}
				""");

		assertThat(scenario.backend().delay()).isEqualTo(new Delay.Uniform(10, 2_000));
		assertThat(scenario.backend().capacity()).isEqualTo(new Capacity.Starved(2, 3, 50, 7));
		assertThat(scenario.backend().errorRate()).isEqualTo(0.025);
		assertThat(scenario.backend().errorStatus()).isEqualTo(500);
		assertThat(scenario.services().gateways()).containsExactly(Variant.REACTIVE, Variant.SERVLET_VIRTUAL);
		assertThat(scenario.services().heap()).isEqualTo("1g");
		assertThat(scenario.services().collector()).isEqualTo("-XX:+UseZGC");
		assertThat(scenario.load().modes()).containsExactly(Mode.QUEUED);
		assertThat(scenario.load().sizes()).containsExactly(new Orders(3_000, 50), new Orders(30, 0.5));
		assertThat(scenario.load().deadline()).isEqualTo(Duration.ofSeconds(90));
		assertThat(scenario.services().deliveryConcurrency()).isEqualTo(20);
		assertThat(scenario.load()).extracting(Load::users, Load::items, Load::repetitions).containsExactly(300, 10, 8);
		assertThat(scenario.limits()).isEqualTo(new Limits(250L, 0.0, 100L));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			{rate: {limit: 0.5/s}}              | 0.5 | 1
			{rate: {limit: 200/s, burst: 50}}   | 200 | 50
			""")
	void readsARateLimit(String capacity, double perSecond, int burst) throws IOException {
		Scenario scenario = read(
				"question: How many?\nload: {orders: 1}\nbackend: {capacity: %s}\n".formatted(capacity));

		assertThat(scenario.backend().capacity()).isEqualTo(new Capacity.Rate(perSecond, burst));
	}

	@Test
	void needsNoMoreThanAQuestionAndALoad() throws IOException {
		Scenario scenario = read("""
				question: Is little enough?
				load:
				  orders: 100
				""");

		assertThat(scenario.services().gateways()).containsExactly(Variant.values());
		assertThat(scenario.load().modes()).containsExactly(Mode.values());
		assertThat(scenario.load().sizes()).containsExactly(new Orders(100, 0));
		assertThat(scenario.backend().delay()).isEqualTo(new Delay.Fixed(50));
		assertThat(scenario.limits()).isEqualTo(new Limits(null, null, null));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			textBlock = """
					backend: {delay: 50, capacty: endless} | 4 | 'capacty' is unknown: use delay, capacity, errors
					speed: 7                             | 4 | 'speed' is unknown: use question, target, backend, services, load, limits
					backend: {delays: 50ms}              | 4 | 'delays' is unknown: use delay, capacity, errors
					backend: {delay: 50}                 | 4 | '50' is not a length of time: write it as 50ms, 2s or 1min
					backend: {delay: 50 seconds}         | 4 | not a length of time
					backend: {delay: 11min}              | 4 | not from 0 ms to 600000 ms
					backend: {delay: {log-normal: {median: 2s, p99: 1s}}} | 4 | not from 2000 ms
					backend: {delay: {uniform: {from: 2s}}} | 4 | 'to' is missing
					backend: {capacity: endless}         | 4 | use unlimited, or one of workers, starved and rate
					backend: {capacity: {rate: {limit: 50}}} | 4 | '50' is not a rate up to 100,000/s: write it as 50/s
					backend: {capacity: {rate: {burst: 5}}} | 4 | 'limit' is missing
					backend: {capacity: {rate: {limit: 5/s, queue: 7}}} | 4 | 'queue' is unknown: use limit, burst
					backend: {capacity: {rate: {limit: 5/s}, workers: {threads: 1}}} | 4 | one of workers, starved, rate
					backend: {capacity: {workers: {threads: 0}}} | 4 | '0' is not a number from 1 to 100000
					backend: {errors: {share: 0.5}}      | 4 | '0.5' is not a share: write it as 5%
					services: {gateways: [servlet]}      | 4 | 'servlet' is unknown: use servlet-platform, servlet-virtual
					services: {gateways: []}             | 4 | is empty
					services: {heap: 768}                | 4 | '768' is not a size: write it as 768MB or 1GB
					services: {collector: CMS}           | 4 | use G1, Serial, Parallel, ZGC
					services: 7                          | 4 | must be a mapping
					limits: {p99: fast}                  | 4 | 'fast' is not a length of time
					limits: {p98: 1s}                    | 4 | use p99, failed-calls, saved-per-second
					question: Again?                     | 4 | 'question' appears twice
					backend: {delay: [                   | 5 | not YAML
					""")
	void refusesWithTheLineAndWhatIsAllowed(String fourthLine, int line, String message) {
		assertThatExceptionOfType(ScenarioException.class).isThrownBy(() -> read("""
				question: What is wrong?
				load:
				  orders: 100
				%s
				""".formatted(fourthLine)))
			.withMessageStartingWith("mine.yaml:%s: ".formatted(line))
			.withMessageContaining(message);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
			{orders: 0}                       | '0' is not a number from 1
			{orders: 10, rates: 50/s}         | either 'orders', as [10, 1000], or 'rates'
			{in-flight: 10}                   | either 'orders', as [10, 1000], or 'rates'
			{rates: 50/s}                     | 'for' is missing
			{rates: [1/s, 1.2/s], for: 1s}    | two of the rates make the same number of orders
			{rates: 50, for: 10s}             | '50' is not a rate up to 100,000/s: write it as 50/s
			{ordres: 100}                     | 'ordres' is unknown: use modes, orders, rates
			{orders: 100, speed: 7}           | 'speed' is unknown: use modes
			{orders: 100, modes: later}        | 'later' is unknown: use sync, queued
			{orders: 100, items: 101}         | '101' is not a number from 1 to 100
			""")
	void refusesALoadThatCannotBe(String load, String message) {
		assertThatExceptionOfType(ScenarioException.class)
			.isThrownBy(() -> read("question: What is wrong?\nload: %s\n".formatted(load)))
			.withMessageStartingWith("mine.yaml:2: ")
			.withMessageContaining(message);
	}

	@Test
	void refusesWhatIsEmptyOrHasNoLoad() {
		assertThatExceptionOfType(ScenarioException.class).isThrownBy(() -> read("# nothing\n"))
			.withMessageContaining("mine.yaml:1: it is empty");
		assertThatExceptionOfType(ScenarioException.class).isThrownBy(() -> read("question: Which load?\n"))
			.withMessageContaining("'load' is missing");
	}

	@Test
	void tellsOfAnUnknownKeyBeforeTheOneThatIsMissing() {
		assertThatExceptionOfType(ScenarioException.class)
			.isThrownBy(() -> read("question: Which load?\nlaod: {orders: 10}\n"))
			.withMessageStartingWith("mine.yaml:2: 'laod' is unknown: use question");
	}

	private Scenario read(String text) throws IOException {
		return ScenarioFile.read(Files.writeString(this.directory.resolve("mine.yaml"), text));
	}

}
