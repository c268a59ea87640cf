package dev.sluice.lab.kit.measure;

import java.util.List;
import java.util.Map;

import dev.sluice.lab.kit.measure.BoundRules.Calls;
import dev.sluice.lab.kit.cell.Bound;
import dev.sluice.lab.kit.cell.Utilisation;
import dev.sluice.lab.kit.cell.Utilisation.LimitUse;
import dev.sluice.lab.kit.cell.Utilisation.ProcessUse;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class BoundRulesTests {

	private static final Calls WAITING = new Calls(100, 60, true);

	private static final Calls QUEUED = new Calls(10, 3, false);

	private static final LimitUse DELIVERY = new LimitUse("consumer", "orders in delivery", 1_000, 980, 0.96);

	private static final LimitUse ADMISSION = new LimitUse("gateway", "requests in progress", 200, 190, 0.6);

	@Test
	void aLimitThatWasReachedMostOfTheTime() {
		assertThat(bound(0.5, List.of(ADMISSION, DELIVERY), 20_000.0, 19_000, QUEUED))
			.isEqualTo(new Bound.Limit("consumer", "orders in delivery", 1_000, 0.96));
		assertThat(sentence(0.5, List.of(DELIVERY), null, 900, QUEUED))
			.isEqualTo("The consumer was at its limit of 1,000 orders in delivery for 96 % of the time.");
	}

	@Test
	void aLimitThatWasSeldomReachedDoesNotBind() {
		LimitUse seldom = new LimitUse("consumer", "orders in delivery", 1_000, 600, 0.3);

		assertThat(bound(0.5, List.of(seldom), 20_000.0, 900, QUEUED)).isInstanceOf(Bound.InFlight.class);
	}

	@Test
	void theCpuBindsWhereALimitIsReachedBecauseAllIsSlow() {
		assertThat(bound(0.97, List.of(DELIVERY), 20_000.0, 3_000, QUEUED))
			.isEqualTo(new Bound.Cpu(0.97, "consumer", 0.45));
		assertThat(sentence(0.97, List.of(DELIVERY), 20_000.0, 3_000, QUEUED))
			.isEqualTo("97 % of the machine's CPU was used, most of it (45 %) by consumer.");
	}

	@Test
	void aLimitThatExplainsTheRateBindsThoughTheCpuIsBusy() {
		assertThat(bound(0.97, List.of(DELIVERY), 3_300.0, 3_000, QUEUED)).isInstanceOf(Bound.Limit.class);
	}

	@Test
	void theBackendsLatencyWhereItHasTheCallsThatWait() {
		assertThat(bound(0.5, List.of(), 20_000.0, 1_900, WAITING)).isEqualTo(new Bound.BackendLatency(90, 50));
		assertThat(bound(0.5, List.of(), 20_000.0, 1_900, QUEUED)).isEqualTo(new Bound.InFlight(10, 3, 0.5));
	}

	@Test
	void aLateGeneratorBeforeAllElse() {
		assertThat(BoundRules.of(utilisation(0.97, List.of(DELIVERY), 3_300.0), 3_000, new Bound.Generator(400), QUEUED,
				2))
			.isEqualTo(new Bound.Generator(400));
	}

	/** The rules say "or more" and "at least". */
	@Test
	void eachRuleHoldsFromItsBoundOn() {
		LimitUse half = new LimitUse("consumer", "orders in delivery", 1_000, 900, 0.5);

		assertThat(bound(0.90, List.of(), 20_000.0, 1_900, QUEUED)).isInstanceOf(Bound.Cpu.class);
		assertThat(bound(0.899, List.of(), 20_000.0, 1_900, QUEUED)).isInstanceOf(Bound.InFlight.class);
		assertThat(bound(0.5, List.of(half), null, 900, QUEUED)).isInstanceOf(Bound.Limit.class);
		assertThat(bound(0.97, List.of(half), 1_000.0, 800, QUEUED)).isInstanceOf(Bound.Limit.class);
		assertThat(bound(0.97, List.of(half), 1_000.0, 799, QUEUED)).isInstanceOf(Bound.Cpu.class);
		// 90 are at the backend.
		assertThat(bound(0.5, List.of(), null, 900, new Calls(112.5, 50, true)))
			.isInstanceOf(Bound.BackendLatency.class);
		assertThat(bound(0.5, List.of(), null, 900, new Calls(113, 50, true))).isInstanceOf(Bound.InFlight.class);
	}

	@Test
	void theCpuBindsWhoeverUsesIt() {
		Utilisation unsampled = new Utilisation(0.97, 0.0, Map.of("kafka", new ProcessUse(null, null, null, null)),
				List.of(), null, null, null, null);

		assertThat(BoundRules.of(unsampled, 900, null, WAITING, 2))
			.isEqualTo(new Bound.Cpu(0.97, "processes that were not sampled", 0.97));
	}

	@Test
	void doesNotBlameABackendOfWhichNothingIsKnown() {
		Utilisation unknown = new Utilisation(0.5, 0.0, Map.of(), List.of(), null, null, null, null);

		assertThat(BoundRules.of(unknown, 900, null, WAITING, 2)).isInstanceOf(Bound.InFlight.class);
	}

	@Test
	void aGeneratorThatUsedUpItsOwnCores() {
		assertThat(
				BoundRules.of(utilisation(0.5, List.of(), 20_000.0), 3_000, new Bound.BusyGenerator(0.97), QUEUED, 1))
			.isNotNull()
			.satisfies((bound) -> assertThat(bound.sentence())
				.isEqualTo("The load generator used 97 % of its own cores."));
	}

	@Test
	void doesNotGuess() {
		assertThat(bound(null, List.of(), 20_000.0, 1_900, WAITING)).isNull();
		assertThat(bound(null, List.of(DELIVERY), 20_000.0, 1_900, WAITING)).isInstanceOf(Bound.Limit.class);
	}

	private static @Nullable Bound bound(@Nullable Double busy, List<LimitUse> limits, @Nullable Double ceiling,
			double perSecond, Calls calls) {
		return BoundRules.of(utilisation(busy, limits, ceiling), perSecond, null, calls, 2);
	}

	private static String sentence(@Nullable Double busy, List<LimitUse> limits, @Nullable Double ceiling,
			double perSecond, Calls calls) {
		Bound bound = bound(busy, limits, ceiling, perSecond, calls);
		return (bound != null) ? bound.sentence() : "";
	}

	private static Utilisation utilisation(@Nullable Double busy, List<LimitUse> limits, @Nullable Double ceiling) {
		return new Utilisation(
				busy, 0.0, Map.of("consumer", new ProcessUse(0.9, 1.5, 0.1, 0.01), "gateway",
						new ProcessUse(0.7, 1.0, 0.1, 0.01), "kafka", new ProcessUse(null, null, null, null)),
				limits, 50.0, 90.0, ceiling, null);
	}

}
