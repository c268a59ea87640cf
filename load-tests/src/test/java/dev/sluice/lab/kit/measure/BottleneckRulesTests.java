package dev.sluice.lab.kit.measure;

import java.util.List;
import java.util.Map;

import dev.sluice.lab.kit.measure.BottleneckRules.Calls;
import dev.sluice.lab.kit.cell.Bottleneck;
import dev.sluice.lab.kit.cell.Utilisation;
import dev.sluice.lab.kit.cell.Utilisation.LimitUse;
import dev.sluice.lab.kit.cell.Utilisation.ProcessUse;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class BottleneckRulesTests {

	private static final Calls WAITING = new Calls(100, 60, true);

	private static final Calls QUEUED = new Calls(10, 3, false);

	private static final LimitUse DELIVERY = new LimitUse("consumer", "orders in delivery", 1_000, 980, 0.96);

	private static final LimitUse ADMISSION = new LimitUse("gateway", "requests in progress", 200, 190, 0.6);

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
		assertThat(BottleneckRules.of(utilisation(0.97, List.of(DELIVERY), 3_300.0), 3_000,
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

		assertThat(BottleneckRules.of(unsampled, 900, null, WAITING, 2))
			.isEqualTo(new Bottleneck.Cpu(0.97, "processes that were not sampled", 0.97));
	}

	@Test
	void doesNotBlameABackendOfWhichNothingIsKnown() {
		Utilisation unknown = new Utilisation(0.5, Map.of(), List.of(), null, null, null, null);

		assertThat(BottleneckRules.of(unknown, 900, null, WAITING, 2)).isInstanceOf(Bottleneck.InFlight.class);
	}

	@Test
	void doesNotGuess() {
		assertThat(bottleneck(null, List.of(), 20_000.0, 1_900, WAITING)).isNull();
		assertThat(bottleneck(null, List.of(DELIVERY), 20_000.0, 1_900, WAITING)).isInstanceOf(Bottleneck.Limit.class);
	}

	private static @Nullable Bottleneck bottleneck(@Nullable Double busy, List<LimitUse> limits,
			@Nullable Double ceiling, double perSecond, Calls calls) {
		return BottleneckRules.of(utilisation(busy, limits, ceiling), perSecond, null, calls, 2);
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
