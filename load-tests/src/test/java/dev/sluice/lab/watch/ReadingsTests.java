package dev.sluice.lab.watch;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import dev.sluice.lab.watch.Readings.Scrape;
import dev.sluice.sink.Script;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.assertj.core.api.Assertions.within;

class ReadingsTests {

	private static final String BEGUN = "process_start_time_seconds 100\n";

	private final Readings readings = new Readings();

	private Map<String, Map<String, Double>> figures = Map.of();

	@ParameterizedTest(name = "{0}")
	@MethodSource
	void scenarios(String what, String steps) {
		Map<String, String> answers = new HashMap<>();
		AtomicInteger now = new AtomicInteger();
		new Script().word("begun", (words) -> answers.put(words.getFirst(), BEGUN))
			.word("orders", (words) -> answers.put(words.get(0), orders(words.get(1))))
			.word("anew",
					(words) -> answers.computeIfPresent(words.getFirst(), (_, text) -> text.replace("100\n", "200\n")))
			.word("durations",
					(words) -> answers.put(words.get(0),
							durations(Integer.parseInt(words.get(1)), Integer.parseInt(words.get(2)))))
			.word("after", (seconds) -> {
				next(now.addAndGet(Integer.parseInt(seconds.getFirst())), answers);
				answers.clear();
			})
			.shown("rate", () -> said("orders"))
			.shown("p99", () -> said("p99"))
			.play(steps);
	}

	static Stream<Arguments> scenarios() {
		return Script.scenarios("""
				a counter's rate is its growth by the time between two answers
				  orders gateway 10; after 0; orders gateway 50; after 2; rate sync saved=20.0
				what several services say is added up
				  orders one 0; orders other 1000; after 0
				  orders one 5; orders other 1007; after 1; rate sync saved=12.0
				a series that is new has grown from nothing
				  begun gateway; after 0; orders gateway 3; after 1; rate sync saved=3.0
				a service that has begun anew has no rate and then its own
				  orders gateway 1000; after 0; orders gateway 7; anew gateway; after 1; rate
				  orders gateway 7; anew gateway; after 1; rate sync saved=0.0
				who does not answer has no figures and is measured over the gap afterwards
				  orders gateway 0; after 0; after 1; rate; orders gateway 40; after 3; rate sync saved=10.0
				a percentile is of the last minute alone: many slow orders do not count a minute later
				  durations gateway 0 0; after 0; durations gateway 0 1000; after 1
				  durations gateway 50 1000; after 1; p99 sync=5000.0
				  59x(durations gateway 50 1000, after 1)
				  durations gateway 1050 1000; after 1; p99 sync=100.0
				  durations gateway 1050 1000; after 68; p99
				a percentile is of all gateways together
				  durations one 0 0; durations other 0 0; after 0
				  durations one 1000 0; durations other 0 9; after 1; p99 sync=100.0
				""");
	}

	private List<String> said(String panel) {
		return this.figures.getOrDefault(panel, Map.of()).entrySet().stream().map(Object::toString).toList();
	}

	@Test
	void whatLiesBeyondTheLastBoundIsToldAsTheLastBound() {
		next(0, Map.of("consumer", BEGUN + saved(0, 0)));

		assertThat(next(1, Map.of("consumer", BEGUN + saved(0, 5_000))).get("p99")).containsEntry("saved", 600_000.0);
	}

	@Test
	void tellsWhatIsOnItsWay() {
		Map<String, Double> waiting = next(0, Map.of("gateway", """
				sluice_orders_in_flight{mode="sync"} 3
				sluice_orders_in_flight{mode="queued"} 4
				""", "consumer", """
				kafka_consumer_fetch_manager_records_lag{client_id="order-delivery",partition="0",topic="orders"} 10
				kafka_consumer_fetch_manager_records_lag{client_id="order-delivery",partition="1",topic="orders"} 20
				kafka_consumer_fetch_manager_records_lag{client_id="order-status",partition="1",topic="orders"} 500
				sluice_delivery_pending 7
				sluice_delivery_in_flight 5
				""")).get("waiting");

		assertThat(waiting).containsOnly(entry("in the gateways, sync", 3.0), entry("in the gateways, queued", 4.0),
				entry("in Kafka", 30.0), entry("pending", 7.0), entry("in delivery", 5.0));
	}

	@Test
	void tellsCircuits() {
		Map<String, Double> circuits = next(0, Map.of("gateway", """
				resilience4j_circuitbreaker_state{name="backend",state="open"} 1.0
				resilience4j_circuitbreaker_state{name="backend",state="closed"} 0.0
				resilience4j_circuitbreaker_state{name="queue",state="closed"} 1.0
				resilience4j_circuitbreaker_state{name="status",state="half_open"} 1.0
				""", "consumer", "sluice_circuit_open 0.5\n")).get("circuits");

		assertThat(circuits).containsOnly(entry("gateway: backend", 1.0), entry("gateway: queue", 0.0),
				entry("gateway: status", 0.5), entry("consumer: backend", 0.5));
	}

	@Test
	void tellsWhatAJvmSpends() {
		String before = BEGUN + """
				jvm_gc_pause_seconds_sum{gc="G1 Young Generation",cause="G1 Evacuation Pause"} 1.0
				process_cpu_time_ns_total 5.0E9
				""";
		next(0, Map.of("gateway", before));

		Map<String, Map<String, Double>> figures = next(1, Map.of("gateway", BEGUN + """
				jvm_gc_pause_seconds_sum{gc="G1 Young Generation",cause="G1 Evacuation Pause"} 1.2
				jvm_gc_pause_seconds_sum{gc="G1 Young Generation",cause="Metadata GC Threshold"} 0.05
				process_cpu_time_ns_total 6.5E9
				jvm_threads_live_threads 31
				jvm_memory_used_bytes{area="heap",id="G1 Eden Space"} 1048576
				jvm_memory_used_bytes{area="heap",id="G1 Old Gen"} 2097152
				jvm_memory_used_bytes{area="nonheap",id="Metaspace"} 9.0E9
				"""));

		assertThat(figures.get("gc").get("gateway")).isCloseTo(25, within(1e-6));
		assertThat(figures.get("cpu")).containsExactly(entry("gateway", 1.5));
		assertThat(figures.get("threads")).containsExactly(entry("gateway", 31.0));
		assertThat(figures.get("heap")).containsExactly(entry("gateway", 3.0));
	}

	/** A service without an entry in the answers does not answer. */
	private Map<String, Map<String, Double>> next(double second, Map<String, String> answers) {
		Map<String, Scrape> scrapes = new TreeMap<>();
		answers.forEach(
				(service, text) -> scrapes.put(service, new Scrape(Math.round(second * 1e9), Readings.parse(text))));
		this.figures = this.readings.next(scrapes);
		return this.figures;
	}

	private static String orders(String saved) {
		return BEGUN + "sluice_orders_total{outcome=\"saved\",mode=\"sync\"} %s.0%n".formatted(saved);
	}

	private static String durations(int fast, int slow) {
		return BEGUN + """
				sluice_order_duration_seconds_bucket{mode="sync",le="0.1"} %s
				sluice_order_duration_seconds_bucket{mode="sync",le="5.0"} %s
				sluice_order_duration_seconds_bucket{mode="sync",le="+Inf"} %s
				""".formatted(fast, fast + slow, fast + slow);
	}

	private static String saved(int inTime, int late) {
		return """
				sluice_accept_to_saved_seconds_bucket{le="600.0"} %s
				sluice_accept_to_saved_seconds_bucket{le="+Inf"} %s
				""".formatted(inTime, inTime + late);
	}

}
