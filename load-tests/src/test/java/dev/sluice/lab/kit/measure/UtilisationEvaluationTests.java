package dev.sluice.lab.kit.measure;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import dev.sluice.lab.kit.cell.Utilisation.LimitUse;
import dev.sluice.lab.kit.cell.Utilisation;
import dev.sluice.lab.kit.metrics.Exposition;
import dev.sluice.lab.kit.metrics.Scrapes.Scrape;
import dev.sluice.lab.kit.metrics.Scrapes;
import dev.sluice.lab.kit.process.ProcessSamples;
import dev.sluice.lab.kit.statistics.Window;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class UtilisationEvaluationTests {

	private static final Instant T0 = Instant.parse("2026-01-01T00:00:00Z");

	private static final Window WINDOW = new Window(T0, T0.plusSeconds(4));

	@Test
	void tellsOfEachLimitHowMuchWasUsedAndHowOftenAll() {
		Scrapes consumer = scrapes(delivery(40), delivery(50), delivery(48), delivery(50));

		Utilisation utilisation = evaluate(Map.of("consumer", consumer));

		assertThat(utilisation.limits()).containsExactly(new LimitUse("consumer", "orders in delivery", 50, 47, 0.75));
	}

	@Test
	void aLimitThatFollowsTheBackendIsNeverReached() {
		String all = "sluice_backend_calls 220.0\nsluice_backend_calls_limit 220.0\n";

		assertThat(evaluate(Map.of("gateway", scrapes(all, all))).limits())
			.containsExactly(new LimitUse("gateway", "calls to the backend", 220, 220, 0));
	}

	@Test
	void aBulkheadTellsWhatIsFree() {
		String half = """
				resilience4j_bulkhead_available_concurrent_calls{name="queue"} 50.0
				resilience4j_bulkhead_max_allowed_concurrent_calls{name="queue"} 100.0
				resilience4j_bulkhead_available_concurrent_calls{name="other"} 990.0
				resilience4j_bulkhead_max_allowed_concurrent_calls{name="other"} 1000.0
				""";

		assertThat(evaluate(Map.of("gateway", scrapes(half, half))).limits())
			.containsExactly(new LimitUse("gateway", "orders being written to Kafka", 100, 50, 0));
	}

	@Test
	void theBackendsWorkersAreALimitUnlessThereAreAsManyAsOneLikes() {
		String unlimited = "sluice_backend_in_flight 5.0\nsluice_backend_workers 2.147483647E9\n";
		String three = "sluice_backend_in_flight 5.0\nsluice_backend_workers 3.0\n";

		assertThat(evaluate(Map.of("backend", scrapes(unlimited, unlimited))).limits()).isEmpty();
		assertThat(evaluate(Map.of("backend", scrapes(three, three))).limits())
			.containsExactly(new LimitUse("backend", "workers of the backend", 3, 5, 1));
	}

	/**
	 * Limits as the services export them, each next to a series that does not belong to
	 * it.
	 */
	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '~',
			textBlock = """
					requests in progress          | sluice_requests_in_progress 6; sluice_requests_limit 10
					Tomcat threads                | tomcat_threads_busy_threads{name="a"} 6; tomcat_threads_config_max_threads{name="a"} 10
					orders being written to Kafka | resilience4j_bulkhead_available_concurrent_calls{name="queue"} 4; \
					                                resilience4j_bulkhead_max_allowed_concurrent_calls{name="queue"} 10
					bytes in the producer's buffer | kafka_producer_buffer_available_bytes 4; kafka_producer_buffer_total_bytes 10
					connections to the backend    | httpcomponents_httpclient_pool_total_connections{httpclient="backend",state="leased"} 6; \
					                                httpcomponents_httpclient_pool_total_connections{httpclient="backend",state="available"} 3; \
					                                httpcomponents_httpclient_pool_total_connections{httpclient="other",state="leased"} 1; \
					                                httpcomponents_httpclient_pool_total_max{httpclient="backend"} 10
					connections to the backend    | reactor_netty_connection_provider_active_connections{name="backend"} 6; \
					                                reactor_netty_connection_provider_active_connections{name="other"} 1; \
					                                reactor_netty_connection_provider_max_connections{name="backend"} 10
					connections to PostgreSQL     | hikaricp_connections_active 6; hikaricp_connections_max 10
					connections to PostgreSQL     | r2dbc_pool_acquired_connections 6; r2dbc_pool_max_allocated_connections 10
					orders in flight to the sink  | sluice_delivery_sink_in_flight 6; sluice_delivery_sink_window 10
					""")
	void knowsTheLimitOfEachService(String what, String exported) {
		String body = exported.replaceAll(";\\s*", "\n") + "\n";

		assertThat(evaluate(Map.of("service", scrapes(body))).limits())
			.containsExactly(new LimitUse("service", what, 10, 6, 0));
	}

	@Test
	void theRecordsReadAreAtTheirLimitWhereNoFurtherBatchMayFit() {
		String full = "sluice_delivery_pending 75\nsluice_delivery_pending_limit 100\n";
		String room = "sluice_delivery_pending 74\nsluice_delivery_pending_limit 100\n";

		assertThat(evaluate(Map.of("consumer", scrapes(full, room))).limits())
			.containsExactly(new LimitUse("consumer", "records read and not finished", 100, 74.5, 0.5));
	}

	@Test
	void aLimitOfWhichHalfWasUsedIsNotable() {
		assertThat(evaluate(Map.of("consumer", scrapes(delivery(25)))).limits()).hasSize(1);
		assertThat(evaluate(Map.of("consumer", scrapes(delivery(24)))).limits()).isEmpty();
	}

	@Test
	void theCeilingIsTheLimitOnCallsToTheBackendByItsLatency() {
		Scrapes backend = scrapes(backend(100, 5.0), backend(200, 10.0), backend(300, 15.0));
		Scrapes consumer = scrapes(delivery(40), delivery(40));

		Utilisation utilisation = evaluate(Map.of("consumer", consumer, "backend", backend));

		assertThat(utilisation.backendMillis()).isEqualTo(50.0);
		assertThat(utilisation.backendInFlight()).isEqualTo(7.0);
		assertThat(utilisation.ceilingPerSecond()).isEqualTo(1_000.0);
	}

	@Test
	void doesNotKnowWithoutScrapes() {
		Utilisation utilisation = evaluate(Map.of("backend", scrapes()));

		assertThat(utilisation.limits()).isEmpty();
		assertThat(utilisation.backendMillis()).isNull();
		assertThat(utilisation.backendInFlight()).isNull();
		assertThat(utilisation.ceilingPerSecond()).isNull();
		assertThat(utilisation.busyShare()).isNull();
		assertThat(utilisation.processes().get("gateway")).isEqualTo(new Utilisation.ProcessUse(null, null));
	}

	@Test
	void scrapesCoverAWindowIfHalfOfItsSecondsWereAnswered() {
		assertThat(scrapes("", "", "", "").cover(WINDOW)).isTrue();
		assertThat(scrapes("", "").cover(WINDOW)).isTrue();
		assertThat(scrapes("").cover(WINDOW)).isFalse();
		assertThat(scrapes().cover(new Window(T0, T0.plusMillis(1_500)))).as("too short to have one").isTrue();
	}

	private static Utilisation evaluate(Map<String, Scrapes> scrapes) {
		return new UtilisationEvaluation(new ProcessSamples(List.of()), scrapes, 2).in(WINDOW, List.of("gateway"));
	}

	/** One scrape each second. */
	private static Scrapes scrapes(String... bodies) {
		return new Scrapes(IntStream.range(0, bodies.length)
			.mapToObj((i) -> new Scrape(T0.plusSeconds(i),
					Exposition.parse(bodies[i], UtilisationEvaluation.names()::contains)))
			.toList());
	}

	private static String delivery(int inFlight) {
		return "sluice_delivery_in_flight %s.0\nsluice_delivery_limit 50.0\n".formatted(inFlight);
	}

	private static String backend(int count, double sum) {
		return """
				sluice_backend_duration_seconds_count{outcome="saved"} %s
				sluice_backend_duration_seconds_sum{outcome="saved"} %s
				sluice_backend_in_flight 7.0
				""".formatted(count, sum);
	}

}
