package dev.sluice.lab.causes;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import dev.sluice.lab.causes.FactorLevels.Backend;
import dev.sluice.lab.causes.FactorLevels.Collector;
import dev.sluice.lab.causes.FactorLevels.Connections;
import dev.sluice.lab.causes.FactorLevels.Patience;
import dev.sluice.lab.causes.FactorLevels.Retries;

/**
 * A screening design: the base, each factor alone, pairs that may interact, the
 * reference's likely factors all together, and all but one of them. A round is one start
 * of a gateway. All rounds are repeated in turn, and each repetition begins with another
 * round, so that a machine that slows down does so for all. A plan of one repetition runs
 * the base first and last, which shows the machine's own variation.
 *
 * @param rounds in the order they run
 */
record CausesPlan(List<Round> rounds) {

	/** Load at which the reference's rate was still high. */
	static final int FEW = 100;

	/** Load at which the reference's rate had collapsed. */
	static final int MANY = 1_000;

	/**
	 * Orders of a longer cell with {@value #MANY} in flight, so that a collector has work
	 * to do.
	 */
	static final int LONG = 5_000;

	/**
	 * In MiB. With 160, the gateway runs out of memory at {@value #MANY} requests in
	 * flight before its collector slows it.
	 */
	static final int SMALL_HEAP = 192;

	/**
	 * The reference's likely factors, each at the level that fits the reference's figures
	 * or is the worst.
	 */
	static final FactorLevels ALL = FactorLevels.BASE.with(Backend.THREE)
		.withHeap(SMALL_HEAP)
		.with(Collector.SERIAL)
		.with(Retries.THREE)
		.with(Connections.NEW_TLS);

	private static final int FAST_TRIALS = 3;

	CausesPlan {
		rounds = List.copyOf(rounds);
	}

	/**
	 * One start of a gateway.
	 *
	 * @param repetition from 1
	 * @param number within the repetition, from 1
	 * @param gateway levels that the gateway is started with
	 * @param cells in the order they run
	 */
	record Round(int repetition, int number, FactorLevels gateway, List<Cell> cells) {

		Round {
			cells = List.copyOf(cells);
		}

		/** Unique in the plan; used as a file name. */
		String name() {
			return "%d-%02d".formatted(this.repetition, this.number);
		}

	}

	/**
	 * One measurement.
	 *
	 * @param orders placed, {@value #MANY} in flight at most
	 * @param trial number of the same measurement within the round, from 1
	 */
	record Cell(FactorLevels levels, int orders, int trial) {
	}

	/** The plan of {@code --quick}, which fits into eight minutes. */
	static CausesPlan quick() {
		FactorLevels base = FactorLevels.BASE;
		List<FactorLevels> variations = List.of(base, base.with(Backend.STARVED_12), base.with(Backend.STARVED_2),
				base.with(Backend.THREE), base.withThreads(14), base.withHeap(SMALL_HEAP), base.with(Collector.SERIAL),
				base.with(Collector.ZGC), base.withHeap(SMALL_HEAP).with(Collector.SERIAL),
				base.with(Connections.NEW_TLS), base.with(Retries.THREE), base.with(Retries.THREE).with(Backend.THREE));
		List<Round> rounds = rounds(1, variations);
		rounds.add(new Round(1, rounds.size() + 1, base, cells(base)));
		return new CausesPlan(rounds);
	}

	/** The complete plan. */
	static CausesPlan whole(int repetitions) {
		List<Round> rounds = new ArrayList<>();
		for (int repetition = 1; repetition <= repetitions; repetition++) {
			List<Round> all = rounds(repetition, all());
			Collections.rotate(all, 1 - repetition);
			rounds.addAll(all);
		}
		return new CausesPlan(rounds);
	}

	/** A functional check, with new connections and TLS. */
	static CausesPlan smallest() {
		FactorLevels fast = ALL.with(Backend.UNLIMITED);
		return new CausesPlan(List.of(new Round(1, 1, fast.gateway(), List.of(new Cell(fast, FEW, 1)))));
	}

	private static List<FactorLevels> all() {
		FactorLevels base = FactorLevels.BASE;
		Stream<FactorLevels> alone = Stream
			.of(Stream.of(base), Stream.of(Backend.values()).map(base::with), Stream.of(200, 14).map(base::withThreads),
					Stream.of(512, 256, SMALL_HEAP, 128).map(base::withHeap),
					Stream.of(Collector.values()).map(base::with), Stream.of(Retries.values()).map(base::with),
					Stream.of(Connections.values()).map(base::with))
			.flatMap((variations) -> variations);
		FactorLevels slow = base.with(Backend.THREE);
		Stream<FactorLevels> pairs = Stream.of(slow.with(Retries.ONCE), slow.with(Retries.THREE),
				slow.with(Patience.AGAIN), slow.with(Patience.ANEW), slow.withHeap(SMALL_HEAP),
				slow.withHeap(SMALL_HEAP).with(Collector.SERIAL), slow.with(Connections.NEW_TLS),
				base.withHeap(SMALL_HEAP).with(Collector.SERIAL), base.withHeap(SMALL_HEAP).with(Collector.PARALLEL),
				base.withHeap(SMALL_HEAP).with(Collector.ZGC), base.withHeap(SMALL_HEAP).with(Connections.NEW_TLS));
		return Stream.of(alone, pairs, Stream.of(ALL), allButOne().values().stream())
			.flatMap((variations) -> variations)
			.distinct()
			.toList();
	}

	/**
	 * All factors except one, by the name of the one left out. Heap and collector count
	 * as one factor, memory.
	 */
	static Map<String, FactorLevels> allButOne() {
		Map<String, FactorLevels> but = new LinkedHashMap<>();
		but.put("backend's threads", ALL.with(FactorLevels.BASE.backend()));
		but.put("gateway's memory", ALL.withHeap(FactorLevels.BASE.heap()).with(FactorLevels.BASE.collector()));
		but.put("gateway's retries", ALL.with(FactorLevels.BASE.retries()));
		but.put("connections", ALL.with(FactorLevels.BASE.connections()));
		return but;
	}

	/** Each of those factors alone, by the same names. */
	static Map<String, FactorLevels> alone() {
		Map<String, FactorLevels> alone = new LinkedHashMap<>();
		FactorLevels base = FactorLevels.BASE;
		alone.put("backend's threads", base.with(ALL.backend()));
		alone.put("gateway's memory", base.withHeap(ALL.heap()).with(ALL.collector()));
		alone.put("gateway's retries", base.with(ALL.retries()));
		alone.put("connections", base.with(ALL.connections()));
		return alone;
	}

	/** A setting's name; an abbreviation for settings that combine many factors. */
	static String name(FactorLevels levels) {
		if (levels.equals(ALL)) {
			return "all at once";
		}
		return allButOne().entrySet()
			.stream()
			.filter((but) -> but.getValue().equals(levels))
			.map((but) -> "all but " + but.getKey())
			.findFirst()
			.orElseGet(levels::name);
	}

	private static List<Round> rounds(int repetition, Collection<FactorLevels> variations) {
		Map<FactorLevels, List<Cell>> byGateway = new LinkedHashMap<>();
		variations.forEach((levels) -> byGateway.computeIfAbsent(levels.gateway(), (_) -> new ArrayList<>())
			.addAll(cells(levels)));
		List<Round> rounds = new ArrayList<>();
		byGateway.forEach((gateway, cells) -> rounds.add(new Round(repetition, rounds.size() + 1, gateway, cells)));
		return rounds;
	}

	/**
	 * Repeats the cells of a fast backend, which last only about a second and so vary.
	 * Those of a slow backend are long enough.
	 */
	private static List<Cell> cells(FactorLevels levels) {
		List<Cell> cells = new ArrayList<>();
		boolean isFast = levels.backend() == Backend.UNLIMITED;
		for (int trial = 1; trial <= (isFast ? FAST_TRIALS : 1); trial++) {
			cells.add(new Cell(levels, FEW, trial));
			cells.add(new Cell(levels, MANY, trial));
		}
		if (levels.concernsMemoryAlone()) {
			cells.add(new Cell(levels, LONG, 1));
		}
		return cells;
	}

}
