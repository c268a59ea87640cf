package dev.sluice.lab.chaos;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import dev.sluice.lab.chaos.ChaosPlan.Choice;
import dev.sluice.lab.chaos.ChaosPlan.Fault;
import dev.sluice.lab.chaos.ChaosPlan.Kind;
import dev.sluice.lab.chaos.ChaosPlan.Target;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class ChaosPlanTests {

	private static final Set<Target> ALL = EnumSet.allOf(Target.class);

	private static final Set<Kind> EVERY = EnumSet.allOf(Kind.class);

	@Test
	void sameSeedGivesTheSamePlanAndAnotherSeedAnother() {
		ChaosPlan plan = ChaosPlan.of(new Choice(ALL, EVERY, 5, 1, false, 300_000, 7));

		assertThat(ChaosPlan.of(new Choice(ALL, EVERY, 5, 1, false, 300_000, 7))).isEqualTo(plan);
		assertThat(ChaosPlan.of(new Choice(ALL, EVERY, 5, 1, false, 300_000, 8))).isNotEqualTo(plan);
	}

	@Test
	void aSeedMeansWhatItMeantInEarlierVersions() {
		ChaosPlan plan = ChaosPlan.of(new Choice(EnumSet.of(Target.GATEWAY, Target.BROKER),
				EnumSet.of(Kind.KILL, Kind.FREEZE), 1, 3, false, 60_000, 7));

		assertThat(plan.faults()).containsExactly(new Fault(1, Target.GATEWAY, 0, Kind.KILL, 5_054, 3_177),
				new Fault(2, Target.GATEWAY, 0, Kind.FREEZE, 18_230, 2_151),
				new Fault(3, Target.BROKER, 0, Kind.FREEZE, 18_230, 3_804),
				new Fault(4, Target.BROKER, 0, Kind.KILL, 42_063, 624));
	}

	@Test
	void killsEachTargetAsOftenAsAskedAndDoesTheRestAQuarterAsOften() {
		ChaosPlan plan = ChaosPlan.of(new Choice(ALL, EVERY, 20, 1, false, 900_000, 1));

		for (Target target : EnumSet.complementOf(EnumSet.of(Target.BACKEND))) {
			assertThat(count(plan, target, Kind.KILL)).as(target.toString()).isEqualTo(20);
			assertThat(count(plan, target, Kind.FREEZE)).as(target.toString()).isEqualTo(5);
			assertThat(count(plan, target, Kind.RESTART)).as(target.toString()).isEqualTo(5);
		}
	}

	@Test
	void neverKillsTheWitness() {
		for (long seed = 0; seed < 50; seed++) {
			ChaosPlan plan = ChaosPlan.of(new Choice(ALL, EVERY, 4, 1, false, 300_000, seed));

			assertThat(plan.faults()).filteredOn((fault) -> fault.target() == Target.BACKEND)
				.extracting(Fault::kind)
				.containsExactlyInAnyOrder(Kind.FREEZE, Kind.ERRORS, Kind.HANG, Kind.RESET);
		}
	}

	@Test
	void leavesTheLoadUndisturbedAtItsBeginningAndItsEnd() {
		for (long seed = 0; seed < 50; seed++) {
			ChaosPlan plan = ChaosPlan.of(new Choice(ALL, EVERY, 1, 1, false, 65_000, seed));

			assertThat(plan.faults()).extracting(Fault::atMillis)
				.isSorted()
				.allMatch((at) -> at >= ChaosPlan.LEAD_MILLIS && at <= 65_000 - ChaosPlan.TAIL_MILLIS);
			assertThat(plan.faults()).extracting(Fault::number)
				.containsExactlyElementsOf(
						java.util.stream.IntStream.rangeClosed(1, plan.faults().size()).boxed().toList());
		}
	}

	@Test
	void sometimesBreaksTwoThingsAtOnce() {
		ChaosPlan plan = ChaosPlan.of(new Choice(ALL, EVERY, 20, 1, false, 900_000, 1));

		List<Long> times = plan.faults().stream().map(Fault::atMillis).toList();
		assertThat(times).hasSizeGreaterThan((int) times.stream().distinct().count());
	}

	@Test
	void breaksEachOfThreeBrokers() {
		ChaosPlan plan = ChaosPlan.of(new Choice(EnumSet.of(Target.BROKER), EVERY, 20, 3, false, 900_000, 1));

		assertThat(plan.faults()).extracting(Fault::instance).contains(0, 1, 2).allMatch((instance) -> instance < 3);
	}

	@Test
	void killsABackendThatRemembersAsOftenAsTheOthers() {
		ChaosPlan plan = ChaosPlan.of(new Choice(ALL, EVERY, 4, 1, true, 300_000, 1));

		assertThat(count(plan, Target.BACKEND, Kind.KILL)).isEqualTo(4);
		assertThat(count(plan, Target.BACKEND, Kind.RESTART)).isEqualTo(1);
		assertThat(count(plan, Target.BACKEND, Kind.HANG)).isEqualTo(1);
	}

	@Test
	void freezesLongerThanASessionInLongLoadsOnly() {
		assertThat(longest(300_000, 20)).isEqualTo(12_000);
		assertThat(longest(65_000, 1)).isLessThan(5_000);
	}

	@Test
	void refusesALoadThatIsTooShortAndAChoiceOfNothing() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> ChaosPlan.of(new Choice(ALL, EVERY, 5, 1, false, 30_000, 1)))
			.withMessageContaining("at least")
			.withMessageContaining("this one lasts 30 s");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> ChaosPlan
				.of(new Choice(EnumSet.of(Target.BACKEND), EnumSet.of(Kind.KILL), 1, 1, false, 300_000, 1)))
			.withMessageContaining("[backend]")
			.withMessageContaining("[kill]");
	}

	private static long count(ChaosPlan plan, Target target, Kind kind) {
		return plan.faults().stream().filter((fault) -> fault.target() == target && fault.kind() == kind).count();
	}

	private static long longest(long loadMillis, int kills) {
		return ChaosPlan
			.of(new Choice(EnumSet.of(Target.CONSUMER), EnumSet.of(Kind.FREEZE), kills * 4, 1, false, loadMillis, 3))
			.faults()
			.stream()
			.mapToLong(Fault::lastMillis)
			.max()
			.orElseThrow();
	}

}
