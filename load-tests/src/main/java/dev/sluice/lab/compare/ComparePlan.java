package dev.sluice.lab.compare;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;

import dev.sluice.lab.kit.plan.BackendModel;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.cell.Cell;
import dev.sluice.lab.kit.cell.Load;

/**
 * The cells of a comparison, in the order they run. Each repetition draws the order of
 * its cells from the seed, so that a machine that slows down, speeds up or grows warm
 * affects all of them alike.
 *
 * @param blocks in the order they run
 */
record ComparePlan(List<Block> blocks) {

	/**
	 * Maximum number of cells in a round: the load generator's log must fit into the
	 * lab's memory, and an interrupted run should lose little.
	 */
	static final int MAX_CELLS = 24;

	ComparePlan {
		blocks = List.copyOf(blocks);
	}

	/**
	 * The work of one start of gateways and consumer.
	 *
	 * @param name unique in the plan; a file name
	 * @param variants gateways that run side by side
	 * @param rounds in the order they run
	 */
	record Block(String name, List<String> variants, List<Round> rounds) {

		Block {
			variants = List.copyOf(variants);
			rounds = List.copyOf(rounds);
		}

	}

	/**
	 * The work of one start of the load generator.
	 *
	 * @param name unique in the plan; a file name
	 * @param cells in the order they run
	 */
	record Round(String name, List<Cell> cells) {

		Round {
			cells = List.copyOf(cells);
		}

		/** The modes of its cells. */
		List<Mode> modes() {
			return Stream.of(Mode.values())
				.filter((mode) -> this.cells.stream().anyMatch((cell) -> cell.mode().equals(mode.label())))
				.toList();
		}

		/** The name of a cell's phase, unique in its round; a file name. */
		static String phase(Cell cell) {
			return "%s %s %s %s".formatted(cell.variant(), cell.mode(), cell.capacity(), cell.load().size());
		}

		/** The cell of a phase; empty for a warm-up. */
		Optional<Cell> cell(String phase) {
			return this.cells.stream().filter((cell) -> phase(cell).equals(phase)).findFirst();
		}

	}

	/** Draws the plan of a sweep. */
	static ComparePlan of(Sweep sweep) {
		Random random = new Random(sweep.seed());
		List<Block> blocks = new ArrayList<>();
		List<Round> together = new ArrayList<>();
		for (int repetition = 1; repetition <= sweep.repetitions(); repetition++) {
			if (sweep.together()) {
				together
					.addAll(rounds(Integer.toString(repetition), cells(sweep, sweep.variants(), repetition, random)));
			}
			else {
				for (String variant : shuffled(sweep.variants(), random)) {
					String name = repetition + "-" + variant;
					blocks.add(new Block(name, List.of(variant),
							rounds(name, cells(sweep, List.of(variant), repetition, random))));
				}
			}
		}
		return new ComparePlan(sweep.together() ? List.of(new Block("all", sweep.variants(), together)) : blocks);
	}

	private static List<Round> rounds(String name, List<Cell> cells) {
		List<Round> rounds = new ArrayList<>();
		for (int from = 0; from < cells.size(); from += MAX_CELLS) {
			List<Cell> part = cells.subList(from, Math.min(cells.size(), from + MAX_CELLS));
			rounds.add(new Round((cells.size() <= MAX_CELLS) ? name : name + "-part-" + (rounds.size() + 1), part));
		}
		return rounds;
	}

	private static <T> List<T> shuffled(List<T> all, Random random) {
		List<T> order = new ArrayList<>(all);
		Collections.shuffle(order, random);
		return order;
	}

	/**
	 * The cells of one backend after the other, because the consumer takes time to adapt
	 * to another one.
	 */
	private static List<Cell> cells(Sweep sweep, List<String> variants, int repetition, Random random) {
		List<Cell> cells = new ArrayList<>();
		for (BackendModel backend : shuffled(sweep.backends(), random)) {
			List<Cell> group = new ArrayList<>();
			for (String variant : variants) {
				for (int load : sweep.loads()) {
					for (Mode mode : sweep.modes()) {
						group.add(new Cell(variant, mode.label(), backend.label(), new Load(sweep.kind(), load),
								repetition));
					}
				}
			}
			cells.addAll(shuffled(group, random));
		}
		return cells;
	}

	/** Every cell, in the order they run. */
	List<Cell> cells() {
		return this.blocks.stream()
			.flatMap((block) -> block.rounds().stream())
			.flatMap((round) -> round.cells().stream())
			.toList();
	}

	/** Every variant, once. */
	List<String> variants() {
		return this.blocks.stream().flatMap((block) -> block.variants().stream()).distinct().toList();
	}

	/**
	 * What to compare.
	 *
	 * @param variants gateways
	 * @param modes the modes
	 * @param backends the backends
	 * @param kind what the size of a load counts
	 * @param loads the loads, each at least 1
	 * @param repetitions number of repetitions of each cell, at least 1
	 * @param seed seed for the order of the cells
	 * @param together whether all gateways run from beginning to end; otherwise each is
	 * started in each repetition, and runs alone
	 */
	record Sweep(List<String> variants, List<Mode> modes, List<BackendModel> backends, Load.Kind kind,
			List<Integer> loads, int repetitions, long seed, boolean together) {

		Sweep {
			variants = List.copyOf(variants);
			modes = List.copyOf(modes);
			backends = List.copyOf(backends);
			loads = List.copyOf(loads);
			if (variants.isEmpty() || modes.isEmpty() || backends.isEmpty() || loads.isEmpty()) {
				throw new IllegalArgumentException(
						"Nothing is to be compared: " + variants + " " + modes + " " + backends + " " + loads);
			}
			if (repetitions < 1 || loads.stream().anyMatch((load) -> load < 1)) {
				throw new IllegalArgumentException(
						"Loads and repetitions must be at least 1: " + loads + ", " + repetitions);
			}
		}

	}

}
