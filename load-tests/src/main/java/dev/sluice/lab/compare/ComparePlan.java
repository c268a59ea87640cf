package dev.sluice.lab.compare;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import dev.sluice.lab.kit.cell.Cell;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.plan.BackendModel;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.stack.ServiceOptions;
import dev.sluice.lab.kit.stack.Variant;

/**
 * The cells of a comparison, in the order they run, and what all of them share.
 *
 * @param blocks in the order they run
 * @param backends the backends that the cells name
 * @param load how orders are placed
 * @param heap heap of each service, in the JVM's notation
 * @param collector garbage collector of each service, as a JVM option
 * @param deliveryConcurrency orders that the consumer delivers at once; 0 = no consumer
 * runs, so no cell may be queued
 */
record ComparePlan(List<Block> blocks, List<BackendModel> backends, CellLoad load, String heap, String collector,
		int deliveryConcurrency) {

	/** The usual collector. */
	static final String G1 = "-XX:+UseG1GC";

	ComparePlan {
		blocks = List.copyOf(blocks);
		backends = List.copyOf(backends);
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

	boolean hasConsumer() {
		return this.deliveryConcurrency > 0;
	}

	BackendModel backend(Cell cell) {
		return this.backends.stream()
			.filter((backend) -> backend.label().equals(cell.capacity()))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("No such backend: " + cell));
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
			if (repetitions < 1 || loads.stream().anyMatch((load) -> load < 1)) {
				throw new IllegalArgumentException(
						"Loads and repetitions must be at least 1: " + loads + ", " + repetitions);
			}
		}

		/**
		 * Draws its cells. Each repetition has an order of its own, so that a machine
		 * that slows down, speeds up or grows warm affects all cells alike.
		 */
		List<Block> blocks() {
			Random random = new Random(this.seed);
			List<Block> blocks = new ArrayList<>();
			List<Cell> all = new ArrayList<>();
			for (int repetition = 1; repetition <= this.repetitions; repetition++) {
				if (this.together) {
					all.addAll(cells(this.gateways, repetition, random));
					continue;
				}
				for (Gateway gateway : shuffled(this.gateways, random)) {
					blocks.add(new Block(repetition + "-" + gateway.name(), List.of(gateway), false,
							cells(List.of(gateway), repetition, random)));
				}
			}
			return this.together ? List.of(new Block("all", this.gateways, false, all)) : blocks;
		}

		/**
		 * The cells of one backend after the other, because the consumer takes time to
		 * adapt to another one.
		 */
		private List<Cell> cells(List<Gateway> gateways, int repetition, Random random) {
			List<String> names = gateways.stream().map(Gateway::name).toList();
			List<Load> sizes = this.loads.stream().map((load) -> new Load(this.kind, load)).toList();
			return shuffled(this.backends, random).stream()
				.flatMap((backend) -> drawn(names, this.modes, backend.label(), sizes, repetition, random).stream())
				.toList();
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

		private static <T> List<T> shuffled(List<T> all, Random random) {
			List<T> order = new ArrayList<>(all);
			Collections.shuffle(order, random);
			return order;
		}

	}

}
