package dev.sluice.lab.compare;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import dev.sluice.lab.kit.plan.BackendModel;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.cell.Cell;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.stack.ServiceOptions;
import dev.sluice.lab.kit.stack.Variant;

/**
 * The cells of a comparison, in the order they run. Each repetition draws the order of
 * its cells from the seed, so that a machine that slows down, speeds up or grows warm
 * affects all of them alike.
 *
 * @param blocks in the order they run
 */
record ComparePlan(List<Block> blocks) {

	ComparePlan {
		blocks = List.copyOf(blocks);
	}

	/**
	 * The work of one start of gateways, consumer and load generator.
	 *
	 * @param name unique in the plan; a file name
	 * @param gateways those that run side by side
	 * @param newConnections whether each call of a cell opens a connection
	 * @param cells in the order they run
	 */
	record Block(String name, List<Gateway> gateways, boolean newConnections, List<Cell> cells) {

		Block {
			gateways = List.copyOf(gateways);
			cells = List.copyOf(cells);
		}

		List<String> names() {
			return this.gateways.stream().map(Gateway::name).toList();
		}

		/** The modes of its cells. */
		List<Mode> modes() {
			return Stream.of(Mode.values())
				.filter((mode) -> this.cells.stream().anyMatch((cell) -> cell.mode().equals(mode.label())))
				.toList();
		}

		/** The name of a cell's phase; a file name. */
		static String phase(Cell cell) {
			return "%s %s %s %s repetition %s".formatted(cell.variant(), cell.mode(), cell.capacity(),
					cell.load().size(), cell.repetition());
		}

	}

	/**
	 * A gateway to measure.
	 *
	 * @param name the variant in the results, unique in its block; part of file names
	 * @param variant what is started
	 * @param options its settings, if they are not the usual ones
	 */
	record Gateway(String name, Variant variant, ServiceOptions options) {

		/** A variant with its usual settings. */
		static Gateway of(Variant variant) {
			return new Gateway(variant.id(), variant, ServiceOptions.NONE);
		}

	}

	/** Draws the plan of a sweep. */
	static ComparePlan of(Sweep sweep) {
		Random random = new Random(sweep.seed());
		List<Block> blocks = new ArrayList<>();
		List<Cell> together = new ArrayList<>();
		for (int repetition = 1; repetition <= sweep.repetitions(); repetition++) {
			if (sweep.together()) {
				together.addAll(cells(sweep, sweep.gateways(), repetition, random));
			}
			else {
				for (Gateway gateway : shuffled(sweep.gateways(), random)) {
					blocks.add(new Block(repetition + "-" + gateway.name(), List.of(gateway), false,
							cells(sweep, List.of(gateway), repetition, random)));
				}
			}
		}
		return new ComparePlan(
				sweep.together() ? List.of(new Block("all", sweep.gateways(), false, together)) : blocks);
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
	private static List<Cell> cells(Sweep sweep, List<Gateway> gateways, int repetition, Random random) {
		List<String> names = gateways.stream().map(Gateway::name).toList();
		List<Cell> cells = new ArrayList<>();
		for (BackendModel backend : shuffled(sweep.backends(), random)) {
			cells.addAll(drawn(names, sweep.modes(), backend.label(),
					sweep.loads().stream().map((load) -> new Load(sweep.kind(), load)).toList(), repetition, random));
		}
		return cells;
	}

	/** Each variant in each mode under each load, in an order that is drawn. */
	static List<Cell> drawn(Collection<String> variants, List<Mode> modes, String capacity, List<Load> loads,
			int repetition, Random random) {
		List<Cell> cells = new ArrayList<>();
		for (String variant : variants) {
			for (Load load : loads) {
				for (Mode mode : modes) {
					cells.add(new Cell(variant, mode.label(), capacity, load, repetition));
				}
			}
		}
		return shuffled(cells, random);
	}

	/** Every cell, in the order they run. */
	List<Cell> cells() {
		return this.blocks.stream().flatMap((block) -> block.cells().stream()).toList();
	}

	/**
	 * What to compare.
	 *
	 * @param gateways the gateways
	 * @param modes the modes
	 * @param backends the backends
	 * @param kind what the size of a load counts
	 * @param loads the loads, each at least 1
	 * @param repetitions number of repetitions of each cell, at least 1
	 * @param seed seed for the order of the cells
	 * @param together whether all gateways run from beginning to end; otherwise each is
	 * started in each repetition, and runs alone
	 */
	record Sweep(List<Gateway> gateways, List<Mode> modes, List<BackendModel> backends, Load.Kind kind,
			List<Integer> loads, int repetitions, long seed, boolean together) {

		Sweep {
			gateways = List.copyOf(gateways);
			modes = List.copyOf(modes);
			backends = List.copyOf(backends);
			loads = List.copyOf(loads);
			if (gateways.isEmpty() || modes.isEmpty() || backends.isEmpty() || loads.isEmpty()) {
				throw new IllegalArgumentException(
						"Nothing is to be compared: " + gateways + " " + modes + " " + backends + " " + loads);
			}
			if (repetitions < 1 || loads.stream().anyMatch((load) -> load < 1)) {
				throw new IllegalArgumentException(
						"Loads and repetitions must be at least 1: " + loads + ", " + repetitions);
			}
		}

	}

}
