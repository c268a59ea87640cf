package dev.sluice.lab.kit.measure;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

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

	private static final Calls WAITING = new Calls(100, 60, true);

	private static final Calls QUEUED = new Calls(10, 3, false);

	private static final LimitUse DELIVERY = new LimitUse("consumer", "orders in delivery", 1_000, 980, 0.96);

	private static final LimitUse ADMISSION = new LimitUse("gateway", "requests in progress", 200, 190, 0.6);

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

	/** Limits as services export them, each next to a series that is not its own. */
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

	@Test
	void aLimitThatWasReachedMostOfTheTime() {
		assertThat(bottleneck(0.5, List.of(ADMISSION, DELIVERY), 20_000.0, 19_000, QUEUED))
			.isEqualTo(new Bottleneck.Limit("consumer", "orders in delivery", 1_000, 0.96));
		assertThat(sentence(0.5, List.of(DELIVERY), null, 900, QUEUED))
			.isEqualTo("The consumer was at its limit of 1,000 orders in delivery for 96 % of the time.");
	}

	@Test
	void aLimitThatWasSeldomReachedIsNoBottleneck() {
		LimitUse seldom = new LimitUse("consumer", "orders in delivery", 1_000, 600, 0.3);

		assertThat(bottleneck(0.5, List.of(seldom), 20_000.0, 900, QUEUED)).isInstanceOf(Bottleneck.InFlight.class);
	}

	@Test
	void theCpuIsTheBottleneckWhereALimitIsReachedBecauseAllIsSlow() {
		assertThat(bottleneck(0.97, List.of(DELIVERY), 20_000.0, 3_000, QUEUED))
			.isEqualTo(new Bottleneck.Cpu(0.97, "consumer", 0.45));
		assertThat(sentence(0.97, List.of(DELIVERY), 20_000.0, 3_000, QUEUED))
			.isEqualTo("97 % of the machine's CPU was used; consumer used most: 45 %.");
	}

	@Test
	void aLimitThatExplainsTheRateIsTheBottleneckThoughTheCpuIsBusy() {
		assertThat(bottleneck(0.97, List.of(DELIVERY), 3_300.0, 3_000, QUEUED)).isInstanceOf(Bottleneck.Limit.class);
	}

	@Test
	void theBackendsLatencyWhereItHasTheCallsThatWait() {
		assertThat(bottleneck(0.5, List.of(), 20_000.0, 1_900, WAITING))
			.isEqualTo(new Bottleneck.BackendLatency(90, 50));
		assertThat(bottleneck(0.5, List.of(), 20_000.0, 1_900, QUEUED)).isEqualTo(new Bottleneck.InFlight(10, 3, 0.5));
	}

	@Test
	void aLateGeneratorBeforeAllElse() {
		assertThat(UtilisationEvaluation.bottleneck(utilisation(0.97, List.of(DELIVERY), 3_300.0), 3_000,
				new Bottleneck.Generator(400), QUEUED, 2))
			.isEqualTo(new Bottleneck.Generator(400));
	}

	/** The rules say "or more" and "at least". */
	@Test
	void eachRuleHoldsFromItsThresholdOn() {
		LimitUse half = new LimitUse("consumer", "orders in delivery", 1_000, 900, 0.5);

		assertThat(bottleneck(0.90, List.of(), 20_000.0, 1_900, QUEUED)).isInstanceOf(Bottleneck.Cpu.class);
		assertThat(bottleneck(0.899, List.of(), 20_000.0, 1_900, QUEUED)).isInstanceOf(Bottleneck.InFlight.class);
		assertThat(bottleneck(0.5, List.of(half), null, 900, QUEUED)).isInstanceOf(Bottleneck.Limit.class);
		assertThat(bottleneck(0.97, List.of(half), 1_000.0, 800, QUEUED)).isInstanceOf(Bottleneck.Limit.class);
		assertThat(bottleneck(0.97, List.of(half), 1_000.0, 799, QUEUED)).isInstanceOf(Bottleneck.Cpu.class);
		// 90 are at the backend.
		assertThat(bottleneck(0.5, List.of(), null, 900, new Calls(112.5, 50, true)))
			.isInstanceOf(Bottleneck.BackendLatency.class);
		assertThat(bottleneck(0.5, List.of(), null, 900, new Calls(113, 50, true)))
			.isInstanceOf(Bottleneck.InFlight.class);
	}

	@Test
	void theCpuIsTheBottleneckWhicheverProcessUsesIt() {
		Utilisation unsampled = new Utilisation(0.97, Map.of("kafka", new ProcessUse(null, null)), List.of(), null,
				null, null, null);

		assertThat(UtilisationEvaluation.bottleneck(unsampled, 900, null, WAITING, 2))
			.isEqualTo(new Bottleneck.Cpu(0.97, "processes that were not sampled", 0.97));
	}

	@Test
	void doesNotBlameABackendOfWhichNothingIsKnown() {
		Utilisation unknown = new Utilisation(0.5, Map.of(), List.of(), null, null, null, null);

		assertThat(UtilisationEvaluation.bottleneck(unknown, 900, null, WAITING, 2))
			.isInstanceOf(Bottleneck.InFlight.class);
	}

	@Test
	void doesNotGuess() {
		assertThat(bottleneck(null, List.of(), 20_000.0, 1_900, WAITING)).isNull();
		assertThat(bottleneck(null, List.of(DELIVERY), 20_000.0, 1_900, WAITING)).isInstanceOf(Bottleneck.Limit.class);
	}

	private static @Nullable Bottleneck bottleneck(@Nullable Double busy, List<LimitUse> limits,
			@Nullable Double ceiling, double perSecond, Calls calls) {
		return UtilisationEvaluation.bottleneck(utilisation(busy, limits, ceiling), perSecond, null, calls, 2);
	}

	private static String sentence(@Nullable Double busy, List<LimitUse> limits, @Nullable Double ceiling,
			double perSecond, Calls calls) {
		Bottleneck bottleneck = bottleneck(busy, limits, ceiling, perSecond, calls);
		return (bottleneck != null) ? bottleneck.sentence() : "";
	}

	private static Utilisation utilisation(@Nullable Double busy, List<LimitUse> limits, @Nullable Double ceiling) {
		return new Utilisation(busy, Map.of("consumer", new ProcessUse(0.9, 0.1), "gateway", new ProcessUse(0.7, 0.1),
				"kafka", new ProcessUse(null, null)), limits, 50.0, 90.0, ceiling, null);
	}

}
