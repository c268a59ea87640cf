package dev.sluice.lab.kit.measure;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.sluice.lab.kit.cell.Bottleneck;
import dev.sluice.lab.kit.cell.Utilisation;
import dev.sluice.lab.kit.cell.Utilisation.LimitUse;
import dev.sluice.lab.kit.cell.Utilisation.ProcessUse;
import dev.sluice.lab.kit.cell.Window;
import dev.sluice.lab.kit.measure.PrometheusScraper.Scrapes;
import dev.sluice.lab.kit.measure.PrometheusScraper.Scrapes.Scrape;
import dev.sluice.lab.kit.measure.UtilisationEvaluation.Calls;
import dev.sluice.lab.kit.process.ProcessSamples;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class UtilisationEvaluationTests {

	private static final Calls QUEUED = new Calls(10, 3, false);

	private static final Instant T0 = Instant.parse("2026-01-01T00:00:00Z");

	private static final Window WINDOW = new Window(T0, T0.plusSeconds(4));

	/**
	 * Limits as services export them, each next to a series that is not its own, with
	 * what was used in each second: the limit, the mean, and how often all was used. A
	 * limit of which less than half was used is not notable.
	 */
	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '~', nullValues = "-",
			textBlock = """
					orders in delivery            | 40 50 48 50 | 50 47 0.75    | sluice_delivery_in_flight %s; sluice_delivery_limit 50
					orders in delivery            | 25          | 50 25 0       | sluice_delivery_in_flight %s; sluice_delivery_limit 50
					-                             | 24          | -             | sluice_delivery_in_flight %s; sluice_delivery_limit 50
					# it follows the backend and is never reached
					calls to the backend          | 220 220     | 220 220 0     | sluice_backend_calls %s; sluice_backend_calls_limit 220
					workers of the backend        | 5 5         | 3 5 1         | sluice_backend_in_flight %s; sluice_backend_workers 3
					# as many as one likes
					-                             | 5 5         | -             | sluice_backend_in_flight %s; sluice_backend_workers 2.147483647E9
					# no further batch may fit
					records read and not finished | 75 74       | 100 74.5 0.5  | sluice_delivery_pending %s; sluice_delivery_pending_limit 100
					requests in progress          | 6           | 10 6 0        | sluice_requests_in_progress %s; sluice_requests_limit 10
					Tomcat threads                | 6           | 10 6 0        | tomcat_threads_busy_threads{name="a"} %s; tomcat_threads_config_max_threads{name="a"} 10
					orders being written to Kafka | 50 50       | 100 50 0      | resilience4j_bulkhead_available_concurrent_calls{name="queue"} %s; \
					                                                            resilience4j_bulkhead_max_allowed_concurrent_calls{name="queue"} 100; \
					                                                            resilience4j_bulkhead_available_concurrent_calls{name="other"} 990; \
					                                                            resilience4j_bulkhead_max_allowed_concurrent_calls{name="other"} 1000
					bytes in the producer's buffer | 4          | 10 6 0        | kafka_producer_buffer_available_bytes %s; kafka_producer_buffer_total_bytes 10
					connections to the backend    | 6           | 10 6 0        | httpcomponents_httpclient_pool_total_connections{httpclient="backend",state="leased"} %s; \
					                                                            httpcomponents_httpclient_pool_total_connections{httpclient="backend",state="available"} 3; \
					                                                            httpcomponents_httpclient_pool_total_connections{httpclient="other",state="leased"} 1; \
					                                                            httpcomponents_httpclient_pool_total_max{httpclient="backend"} 10
					connections to the backend    | 6           | 10 6 0        | reactor_netty_connection_provider_active_connections{name="backend"} %s; \
					                                                            reactor_netty_connection_provider_active_connections{name="other"} 1; \
					                                                            reactor_netty_connection_provider_max_connections{name="backend"} 10
					connections to PostgreSQL     | 6           | 10 6 0        | hikaricp_connections_active %s; hikaricp_connections_max 10
					connections to PostgreSQL     | 6           | 10 6 0        | r2dbc_pool_acquired_connections %s; r2dbc_pool_max_allocated_connections 10
					orders in flight to the sink  | 6           | 10 6 0        | sluice_delivery_sink_in_flight %s; sluice_delivery_sink_window 10
					""")
	void knowsTheLimitOfEachService(@Nullable String what, String used, @Nullable String figures, String exported) {
		String body = exported.replaceAll(";\\s*", "\n") + "\n";
		String[] bodies = Stream.of(used.split(" ")).map(body::formatted).toArray(String[]::new);
		List<LimitUse> expected = Stream.ofNullable(figures)
			.map((each) -> each.split(" "))
			.map((each) -> new LimitUse("service", what, Double.parseDouble(each[0]), Double.parseDouble(each[1]),
					Double.parseDouble(each[2])))
			.toList();

		assertThat(evaluate(Map.of("service", scrapes(bodies))).limits()).isEqualTo(expected);
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

	/**
	 * Share of the CPU, share of the time at the limit on deliveries, ceiling and rate
	 * per second; calls in flight, their milliseconds, and whether they wait. The rules
	 * say "or more" and "at least".
	 */
	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '~', nullValues = "-",
			textBlock = """
					0.5   | 0.96 | 20000 | 19000 | 10    | 3  | no  | Limit[service=consumer, what=orders in delivery, limit=1000.0, share=0.96]
					0.5   | 0.96 | -     | 900   | 10    | 3  | no  | Limit
					0.5   | 0.50 | -     | 900   | 10    | 3  | no  | Limit
					0.5   | 0.30 | 20000 | 900   | 10    | 3  | no  | InFlight
					0.90  | -    | 20000 | 1900  | 10    | 3  | no  | Cpu
					0.899 | -    | 20000 | 1900  | 10    | 3  | no  | InFlight
					# a limit is reached because all is slow, or it explains the rate though the CPU is busy
					0.97  | 0.96 | 20000 | 3000  | 10    | 3  | no  | Cpu[share=0.97, most=consumer, mostShare=0.45]
					0.97  | 0.96 | 3300  | 3000  | 10    | 3  | no  | Limit
					0.97  | 0.50 | 1000  | 800   | 10    | 3  | no  | Limit
					0.97  | 0.50 | 1000  | 799   | 10    | 3  | no  | Cpu
					# the backend's latency where it has the calls that wait, of which it has 90
					0.5   | -    | 20000 | 1900  | 100   | 60 | yes | BackendLatency[orders=90.0, millis=50.0]
					0.5   | -    | -     | 900   | 112.5 | 50 | yes | BackendLatency
					0.5   | -    | -     | 900   | 113   | 50 | yes | InFlight
					0.5   | -    | 20000 | 1900  | 10    | 3  | no  | InFlight[calls=10.0, millis=3.0, share=0.5]
					# no guess
					-     | -    | 20000 | 1900  | 100   | 60 | yes | null
					-     | 0.96 | 20000 | 1900  | 100   | 60 | yes | Limit
					""")
	void theBottleneckFollowsFixedRules(@Nullable Double busy, @Nullable Double atLimit, @Nullable Double ceiling,
			double perSecond, double calls, double millis, String wait, String bottleneck) {
		assertThat(String.valueOf(UtilisationEvaluation.bottleneck(utilisation(busy, atLimit, ceiling), perSecond, null,
				new Calls(calls, millis, wait.equals("yes")), 2)))
			.startsWith(bottleneck);
	}

	@Test
	void aLateGeneratorBeforeAllElse() {
		assertThat(UtilisationEvaluation.bottleneck(utilisation(0.97, 0.96, 3_300.0), 3_000,
				new Bottleneck.Generator(400), QUEUED, 2))
			.isEqualTo(new Bottleneck.Generator(400));
	}

	@Test
	void theCpuIsTheBottleneckWhicheverProcessUsesIt() {
		Utilisation unsampled = new Utilisation(0.97, Map.of("kafka", new ProcessUse(null, null)), List.of(), null,
				null, null, null);

		assertThat(UtilisationEvaluation.bottleneck(unsampled, 900, null, QUEUED, 2))
			.isEqualTo(new Bottleneck.Cpu(0.97, "processes that were not sampled", 0.97))
			.extracting(Bottleneck::sentence)
			.isEqualTo("97 % of the machine's CPU was used; processes that were not sampled used most: 97 %.");
	}

	@Test
	void doesNotBlameABackendOfWhichNothingIsKnown() {
		Utilisation unknown = new Utilisation(0.5, Map.of(), List.of(), null, null, null, null);

		assertThat(UtilisationEvaluation.bottleneck(unknown, 900, null, new Calls(100, 60, true), 2))
			.isInstanceOf(Bottleneck.InFlight.class);
	}

	/** The gateway's limit is reached less often; the backend has 90 orders. */
	private static Utilisation utilisation(@Nullable Double busy, @Nullable Double atLimit, @Nullable Double ceiling) {
		List<LimitUse> limits = (atLimit == null) ? List.of()
				: List.of(new LimitUse("gateway", "requests in progress", 200, 190, atLimit - 0.1),
						new LimitUse("consumer", "orders in delivery", 1_000, 980, atLimit));
		return new Utilisation(busy, Map.of("consumer", new ProcessUse(0.9, 0.1), "gateway", new ProcessUse(0.7, 0.1),
				"kafka", new ProcessUse(null, null)), limits, 50.0, 90.0, ceiling, null);
	}

}
