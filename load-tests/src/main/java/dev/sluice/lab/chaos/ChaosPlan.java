package dev.sluice.lab.chaos;

import dev.sluice.lab.kit.page.Figures;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Which faults happen when. The same choice and seed give the same plan.
 * <p>
 * Faults are drawn in random order and spread over the load, one in each equal share of
 * its time; one in four begins together with the one before it. A fault whose target is
 * still broken waits for its turn.
 *
 * @param faults in the order of their times
 */
record ChaosPlan(List<Fault> faults) {

	/** Time without faults at the start of the load, to show the undisturbed system. */
	static final long LEAD_MILLIS = 5_000;

	/**
	 * Time without faults at the end of the load, to show the recovery from the last one.
	 */
	static final long TAIL_MILLIS = 10_000;

	/**
	 * Least share of the load's time for each fault: a service takes this long to
	 * restart.
	 */
	static final long SHARE_MILLIS = 3_000;

	private static final long MIN_MILLIS = 1_000;

	private static final long MAX_MILLIS = 5_000;

	/**
	 * Longer than the consumer's session timeout of 6 s, so that it loses its partitions.
	 */
	private static final long LONG_MILLIS = 12_000;

	/** In loads of at least this length, one freeze in four is long. */
	private static final long LONG_LOAD_MILLIS = 180_000;

	public ChaosPlan {
		faults = List.copyOf(faults);
	}

	/** Kinds of processes to break. */
	public enum Target {

		/** One of the two gateways. */
		GATEWAY,

		CONSUMER,

		BROKER,

		POSTGRES,

		/**
		 * The witness: killed only if it keeps its orders in a database, not in memory.
		 */
		BACKEND;

		/** The kinds of faults that this target can have. */
		Set<Kind> kinds(boolean backendRemembers) {
			return switch (this) {
				case GATEWAY, CONSUMER, BROKER, POSTGRES -> EnumSet.of(Kind.KILL, Kind.FREEZE, Kind.RESTART);
				case BACKEND -> backendRemembers ? EnumSet.allOf(Kind.class)
						: EnumSet.of(Kind.FREEZE, Kind.ERRORS, Kind.HANG, Kind.RESET);
			};
		}

		@Override
		public String toString() {
			return name().toLowerCase(Locale.ROOT);
		}

	}

	/** Kinds of faults. */
	public enum Kind {

		/** {@code kill -9}, then a restart. */
		KILL,

		/** SIGSTOP, and SIGCONT some seconds later. */
		FREEZE,

		/** A graceful stop, then a restart. */
		RESTART,

		/** Each order is answered 503. */
		ERRORS,

		/** No order is answered. */
		HANG,

		/** Each order's connection is reset. */
		RESET;

		@Override
		public String toString() {
			return name().toLowerCase(Locale.ROOT);
		}

	}

	/**
	 * One fault.
	 *
	 * @param number from 1, in the order of the times
	 * @param target what is broken
	 * @param instance index of the process among those of the target, from 0
	 * @param kind how it is broken
	 * @param atMillis when it begins, in milliseconds since the load began
	 * @param lastMillis how long the process stays frozen, dead or misbehaving, in
	 * milliseconds
	 */
	record Fault(int number, Target target, int instance, Kind kind, long atMillis, long lastMillis) {
	}

	/**
	 * What to draw the faults from.
	 *
	 * @param targets targets to break
	 * @param kinds kinds of faults to use
	 * @param killsEach number of kills of each target that can be killed, at least 1;
	 * each other kind happens a quarter as often, at least once
	 * @param brokers number of brokers
	 * @param backendRemembers whether the backend still has what it saved after a kill
	 * @param loadMillis length of the load
	 * @param seed seed of all draws
	 */
	public record Choice(Set<Target> targets, Set<Kind> kinds, int killsEach, int brokers, boolean backendRemembers,
			long loadMillis, long seed) {

		public Choice {
			targets = Set.copyOf(targets);
			kinds = Set.copyOf(kinds);
			if (killsEach < 1) {
				throw new IllegalArgumentException("At least one kill is needed");
			}
		}

	}

	/**
	 * Draws a plan.
	 * @throws IllegalArgumentException if nothing is chosen or the load is too short for
	 * it
	 */
	public static ChaosPlan of(Choice choice) {
		List<Pair> pairs = pairs(choice);
		if (pairs.isEmpty()) {
			throw new IllegalArgumentException(
					"None of %s can be broken by %s".formatted(choice.targets(), choice.kinds()));
		}
		return new ChaosPlan(spread(pairs, choice));
	}

	private static List<Fault> spread(List<Pair> pairs, Choice choice) {
		long needed = LEAD_MILLIS + TAIL_MILLIS + SHARE_MILLIS * pairs.size();
		if (choice.loadMillis() < needed) {
			throw new IllegalArgumentException("The load must last at least %s s for %s; this one lasts %s s".formatted(
					Math.ceilDiv(needed, 1_000), Figures.counted(pairs.size(), "fault"), choice.loadMillis() / 1_000));
		}
		Random random = new Random(choice.seed());
		List<Pair> shuffled = new ArrayList<>(pairs);
		Collections.shuffle(shuffled, random);
		double share = (double) (choice.loadMillis() - LEAD_MILLIS - TAIL_MILLIS) / shuffled.size();
		List<Fault> faults = new ArrayList<>();
		long previous = LEAD_MILLIS;
		for (int i = 0; i < shuffled.size(); i++) {
			boolean together = i > 0 && random.nextInt(4) == 0;
			long drawn = LEAD_MILLIS + Math.round(share * (i + random.nextDouble() / 2));
			long at = together ? previous : drawn;
			Pair pair = shuffled.get(i);
			faults.add(new Fault(i + 1, pair.target(), instance(pair.target(), choice, random), pair.kind(), at,
					lastMillis(pair.kind(), choice.loadMillis(), random)));
			previous = at;
		}
		return faults;
	}

	private static int instance(Target target, Choice choice, Random random) {
		int instances = switch (target) {
			case GATEWAY -> ChaosExperiment.GATEWAYS.size();
			case CONSUMER -> ChaosExperiment.CONSUMERS;
			case BROKER -> choice.brokers();
			case POSTGRES, BACKEND -> 1;
		};
		// Draws nothing for a single instance, so that a seed keeps its meaning.
		return (instances > 1) ? random.nextInt(instances) : 0;
	}

	private static long lastMillis(Kind kind, long loadMillis, Random random) {
		long drawn = MIN_MILLIS + random.nextLong(MAX_MILLIS - MIN_MILLIS);
		boolean isLong = random.nextInt(4) == 0 && loadMillis >= LONG_LOAD_MILLIS;
		return switch (kind) {
			// As a supervisor that restarts the process at once or a little later.
			case KILL -> drawn - MIN_MILLIS;
			case RESTART -> 0;
			case FREEZE -> isLong ? LONG_MILLIS : drawn;
			case ERRORS, HANG, RESET -> drawn;
		};
	}

	/**
	 * In the order of the enums, so that the plan does not depend on the iteration order
	 * of the sets.
	 */
	private static List<Pair> pairs(Choice choice) {
		int others = Math.max(1, choice.killsEach() / 4);
		return Stream.of(Target.values())
			.filter(choice.targets()::contains)
			.flatMap((target) -> Stream.of(Kind.values())
				.filter(choice.kinds()::contains)
				.filter(target.kinds(choice.backendRemembers())::contains)
				.flatMap((kind) -> Collections
					.nCopies((kind == Kind.KILL) ? choice.killsEach() : others, new Pair(target, kind))
					.stream()))
			.toList();
	}

	private record Pair(Target target, Kind kind) {
	}

}
