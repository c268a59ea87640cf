package dev.sluice.lab.watch;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import dev.sluice.lab.watch.Readings.Scrape;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.assertj.core.api.Assertions.within;

class ReadingsTests {

	private static final String BEGUN = "process_start_time_seconds 100\n";

	private final Readings readings = new Readings();

	@Test
	void aCountersRateIsItsGrowthByTheTimeBetweenTwoAnswers() {
		next(0, Map.of("gateway", orders(10)));

		Map<String, Map<String, Double>> figures = next(2, Map.of("gateway", orders(50)));

		assertThat(figures.get("orders")).containsExactly(entry("sync saved", 20.0));
	}

	@Test
	void whatSeveralServicesSayIsAddedUp() {
		next(0, Map.of("one", orders(0), "other", orders(1_000)));

		Map<String, Map<String, Double>> figures = next(1, Map.of("one", orders(5), "other", orders(1_007)));

		assertThat(figures.get("orders")).containsExactly(entry("sync saved", 12.0));
	}

	@Test
	void aSeriesThatIsNewHasGrownFromNothing() {
		next(0, Map.of("gateway", BEGUN));

		assertThat(next(1, Map.of("gateway", orders(3))).get("orders")).containsExactly(entry("sync saved", 3.0));
	}

	@Test
	void aServiceThatHasBegunAnewHasNoRateAndThenItsOwn() {
		next(0, Map.of("gateway", orders(1_000)));
		String anew = orders(7).replace(BEGUN, "process_start_time_seconds 200\n");

		assertThat(next(1, Map.of("gateway", anew)).get("orders")).isEmpty();
		assertThat(next(2, Map.of("gateway", anew)).get("orders")).containsExactly(entry("sync saved", 0.0));
	}

	@Test
	void whoDoesNotAnswerHasNoFiguresAndIsMeasuredOverTheGapAfterwards() {
		next(0, Map.of("gateway", orders(0)));

		assertThat(next(1, Map.of()).get("orders")).isEmpty();
		assertThat(next(4, Map.of("gateway", orders(40))).get("orders")).containsExactly(entry("sync saved", 10.0));
	}

	@Test
	void aPercentileIsOfTheLastMinuteAlone() {
		next(0, Map.of("gateway", durations(0, 0)));
		// Many slow orders, none of which counts a minute later.
		next(1, Map.of("gateway", durations(0, 1_000)));
		assertThat(next(2, Map.of("gateway", durations(50, 1_000))).get("p99")).containsEntry("sync", 5_000.0);
		for (int second = 3; second <= 61; second++) {
			next(second, Map.of("gateway", durations(50, 1_000)));
		}

		assertThat(next(62, Map.of("gateway", durations(1_050, 1_000))).get("p99")).containsEntry("sync", 100.0);
		assertThat(next(130, Map.of("gateway", durations(1_050, 1_000))).get("p99")).doesNotContainKey("sync");
	}

	@Test
	void aPercentileIsOfAllGatewaysTogether() {
		next(0, Map.of("one", durations(0, 0), "other", durations(0, 0)));

		Map<String, Double> p99 = next(1, Map.of("one", durations(1_000, 0), "other", durations(0, 9))).get("p99");

		assertThat(p99).containsEntry("sync", 100.0);
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

	/**
	 * A service without an entry in the answers does not answer. A panel without figures
	 * is empty.
	 */
	private Map<String, Map<String, Double>> next(double second, Map<String, String> answers) {
		Map<String, Scrape> scrapes = new TreeMap<>();
		answers.forEach(
				(service, text) -> scrapes.put(service, new Scrape(Math.round(second * 1e9), Readings.parse(text))));
		Map<String, Map<String, Double>> figures = new HashMap<>(this.readings.next(scrapes));
		List.of("orders", "p99").forEach((panel) -> figures.putIfAbsent(panel, Map.of()));
		return figures;
	}

	private static String orders(int saved) {
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
