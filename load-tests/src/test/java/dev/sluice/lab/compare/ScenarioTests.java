package dev.sluice.lab.compare;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

import dev.sluice.contract.BackendBehaviour;
import dev.sluice.contract.BackendBehaviour.Capacity;
import dev.sluice.contract.BackendBehaviour.Delay;
import dev.sluice.lab.compare.Scenario.Limits;
import dev.sluice.lab.compare.Scenario.Load;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.plan.Phase.Client;
import dev.sluice.lab.kit.stack.Variant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class ScenarioTests {

	@TempDir
	private Path directory;

	static Stream<Path> shipped() throws IOException {
		try (Stream<Path> files = Files.list(Path.of("scenarios"))) {
			return files.toList().stream();
		}
	}

	@ParameterizedTest
	@MethodSource
	void shipped(Path file) {
		assertThat(Scenario.read(file).question()).endsWith("?");
		assertThat(Scenario.name(file)).isEqualTo(file.getFileName().toString().replace(".yaml", ""));
	}

	@Test
	void readsEveryField() throws IOException {
		Scenario scenario = read("""
				question: Does it work?
				backend:
				  delay: {kind: uniform, minMillis: 10, maxMillis: 2000}
				  capacity: {model: starved, initialWorkers: 2, growthPerSecond: 3, maxWorkers: 50, queue: 7}
				  errorRate: 0.025
				  errorStatus: 500
				services:
				  gateways: [reactive, servlet-virtual]
				  heap: 1g
				  collector: ZGC
				  delivery-concurrency: 20
				load:
				  modes: queued
				  rates: [50, 2]
				  seconds: 60
				  in-flight: 300
				  items: 10
				  deadline-seconds: 90
				  repetitions: 8
				limits: {p99-millis: 250, failed-share: 0, saved-per-second: 100}
				""");

		assertThat(scenario.backend()).isEqualTo(new BackendBehaviour(new Delay.Uniform(10, 2_000), 0.025, 500, 0, 0, 0,
				new Capacity.Starved(2, 3, 50, 7)));
		assertThat(scenario.services().gateways()).containsExactly(Variant.REACTIVE, Variant.SERVLET_VIRTUAL);
		assertThat(scenario.services().heap()).isEqualTo("1g");
		assertThat(scenario.services().collector().option()).isEqualTo("-XX:+UseZGC");
		assertThat(scenario.services().deliveryConcurrency()).isEqualTo(20);
		assertThat(scenario.load().modes()).containsExactly(Mode.QUEUED);
		assertThat(scenario.load().rates()).containsExactly(50, 2);
		assertThat(scenario.load()).extracting(Load::inFlight, Load::items, Load::deadlineSeconds, Load::repetitions)
			.containsExactly(300, 10, 90, 8);
		assertThat(scenario.limits()).isEqualTo(new Limits(250L, 0.0, 100L));
	}

	@Test
	void needsNoMoreThanAQuestionAndALoad() throws IOException {
		Scenario scenario = read("""
				question: Is little enough?
				load:
				  orders: 100
				""");

		assertThat(scenario.services().gateways()).containsExactly(Variant.values());
		assertThat(scenario.services().collector().option()).isEqualTo("-XX:+UseG1GC");
		assertThat(scenario.load().modes()).containsExactly(Mode.values());
		assertThat(scenario.load().items()).isEqualTo(Client.ITEMS);
		assertThat(scenario.load().orders()).containsExactly(100);
		assertThat(scenario.backend()).isEqualTo(BackendBehaviour.DEFAULT);
		assertThat(scenario.limits()).isEqualTo(new Limits(null, null, null));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			textBlock = """
					backend: {delays: 50}                | backend.delays | 'delays' is unknown: use delay, errorRate
					speed: 7                             | speed | 'speed' is unknown: use question, backend, services, load, limits
					backend: {capacity: {model: endless}} | backend.capacity | [rate, starved, unlimited, workers]
					backend: {capacity: {model: rate, perSecond: 5, queue: 7}} | backend.capacity.queue | 'queue' is unknown: use perSecond, burst
					services: {gateways: [servlet]}      | services.gateways | servlet-platform
					services: {gateways: []}             | services | 'gateways' is empty
					services: {heap: 768}                | services | 'heap' is not a size: write it as 768m or 1g
					services: {collector: CMS}           | services.collector | PARALLEL
					services: {delivery-concurrency: 0}  | services | 'delivery-concurrency' is 0: use 1 to 100000
					services: 7                          | services | `Scenario$Services`
					limits: {p99-millis: fast}           | limits.p99-millis | "fast"
					limits: {failed-share: 1.5}          | limits | 'failed-share' is 1.5: use 0 to 1
					limits: {p98: 1}                     | limits.p98 | use p99-millis, failed-share, saved-per-second
					question: Again?                     | 4 | duplicate key question
					backend: {delay: [                   | 5 | not YAML
					""")
	void refusesWithTheKeyAndWhatIsAllowed(String fourthLine, String key, String message) {
		assertThatIllegalArgumentException().isThrownBy(() -> read("""
				question: What is wrong?
				load:
				  orders: 100
				%s
				""".formatted(fourthLine)))
			.withMessageStartingWith("mine.yaml:")
			.withMessageContaining(key + ": ")
			.withMessageContaining(message);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
			{orders: 0}                       | 'orders' is 0: use 1 to 1000000
			{orders: 10, rates: 50, seconds: 9} | either 'orders', as [10, 1000], or 'rates'
			{in-flight: 10}                   | either 'orders', as [10, 1000], or 'rates'
			{rates: 50}                       | 'seconds' is 0: use 1 to 1800
			{rates: 0, seconds: 10}           | 'rates' is 0: use 1 to 100000
			{rates: 50/s, seconds: 10}        | "50/s"
			{ordres: 100}                     | 'ordres' is unknown: use modes, orders, rates
			{orders: 100, modes: later}       | "later"
			{orders: 100, items: 101}         | 'items' is 101: use 1 to 100
			""")
	void refusesALoadThatCannotBe(String load, String message) {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> read("question: What is wrong?\nload: %s\n".formatted(load)))
			.withMessageStartingWith("mine.yaml: ")
			.withMessageContaining(message);
	}

	@Test
	void tellsOfAnUnknownKeyBeforeTheOneThatIsMissing() {
		assertThatIllegalArgumentException().isThrownBy(() -> read("question: Which load?\nlaod: {orders: 10}\n"))
			.withMessageStartingWith("mine.yaml: laod: 'laod' is unknown: use question");
	}

	@Test
	void refusesWhatIsEmptyOrHasNoQuestionOrLoad() {
		assertThatIllegalArgumentException().isThrownBy(() -> read("# nothing\n"))
			.withMessageContaining("mine.yaml: must be a mapping");
		assertThatIllegalArgumentException().isThrownBy(() -> read("question: Which load?\n"))
			.withMessageContaining("'load' has either");
		assertThatIllegalArgumentException().isThrownBy(() -> read("load: {orders: 1}\n"))
			.withMessageContaining("'question' is missing");
	}

	private Scenario read(String text) throws IOException {
		return Scenario.read(Files.writeString(this.directory.resolve("mine.yaml"), text));
	}

}
