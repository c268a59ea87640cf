package dev.sluice.lab.compare;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import dev.sluice.lab.kit.plan.BackendCapacity;
import dev.sluice.lab.kit.plan.BackendModel;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.result.Cell;
import dev.sluice.lab.kit.result.RunResult.LeftOut;

/**
 * Which cells a comparison runs, in which order, and which it leaves out.
 * <p>
 * A round is what one start of a gateway and one load generator do. Repetitions are
 * interleaved: every variant has its turn before any has its next, and each repetition
 * starts with another variant, so that a machine that slows down or speeds up does so for
 * all. Within a round the two modes alternate, cell by cell, and which comes first
 * alternates too.
 *
 * @param rounds in the order they run
 * @param leftOut what is not run, and why
 */
record ComparePlan(List<Round> rounds, List<LeftOut> leftOut) {

	ComparePlan {
		rounds = List.copyOf(rounds);
		leftOut = List.copyOf(leftOut);
	}

	/**
	 * One gateway's turn.
	 *
	 * @param repetition from 1
	 * @param variant which gateway
	 * @param cells in the order they run
	 */
	record Round(int repetition, String variant, List<Cell> cells) {

		Round {
			cells = List.copyOf(cells);
		}

		/** Unique in the plan; a file name. */
		String name() {
			return this.repetition + "-" + this.variant;
		}

	}

	/** The plan of a sweep. */
	static ComparePlan of(Sweep sweep) {
		List<Round> rounds = new ArrayList<>();
		List<LeftOut> leftOut = new ArrayList<>();
		for (int repetition = 1; repetition <= sweep.repetitions(); repetition++) {
			List<String> variants = new ArrayList<>(sweep.variants());
			Collections.rotate(variants, 1 - repetition);
			for (String variant : variants) {
				List<Cell> cells = new ArrayList<>();
				for (Cell cell : cells(sweep, variant, repetition)) {
					if (isTooSlow(sweep, cell)) {
						leftOut.add(new LeftOut(cell, TOO_SLOW.formatted(sweep.starvedSyncLimit())));
					}
					else {
						cells.add(cell);
					}
				}
				if (!cells.isEmpty()) {
					rounds.add(new Round(repetition, variant, cells));
				}
			}
		}
		return new ComparePlan(rounds, leftOut);
	}

	private static final String TOO_SLOW = "slow by nature: above %,d orders a starved backend refuses most calls; the whole comparison has it";

	private static boolean isTooSlow(Sweep sweep, Cell cell) {
		return cell.capacity().equals(BackendCapacity.STARVED.label()) && cell.mode().equals(Mode.SYNC.label())
				&& cell.orders() > sweep.starvedSyncLimit();
	}

	private static List<Cell> cells(Sweep sweep, String variant, int repetition) {
		List<Cell> cells = new ArrayList<>();
		for (BackendModel backend : sweep.backends()) {
			for (int i = 0; i < sweep.orders().size(); i++) {
				List<Mode> modes = new ArrayList<>(sweep.modes());
				Collections.rotate(modes, i + repetition);
				for (Mode mode : modes) {
					cells.add(new Cell(variant, mode.label(), backend.label(), sweep.orders().get(i), repetition));
				}
			}
		}
		return cells;
	}

	/**
	 * What is to be compared. Each list is run in its order.
	 *
	 * @param variants gateways
	 * @param modes of taking an order
	 * @param backends before which they run
	 * @param orders how many orders, each at least 1
	 * @param repetitions of everything, at least 1
	 * @param starvedSyncLimit the most orders placed synchronously before a starved
	 * backend
	 */
	record Sweep(List<String> variants, List<Mode> modes, List<BackendModel> backends, List<Integer> orders,
			int repetitions, int starvedSyncLimit) {

		/** No limit. */
		static final int ALL = Integer.MAX_VALUE;

		Sweep {
			variants = List.copyOf(variants);
			modes = List.copyOf(modes);
			backends = List.copyOf(backends);
			orders = List.copyOf(orders);
			if (variants.isEmpty() || modes.isEmpty() || backends.isEmpty() || orders.isEmpty()) {
				throw new IllegalArgumentException(
						"Nothing is to be compared: " + variants + " " + modes + " " + backends + " " + orders);
			}
			if (repetitions < 1 || orders.stream().anyMatch((count) -> count < 1)) {
				throw new IllegalArgumentException(
						"Orders and repetitions must be at least 1: " + orders + ", " + repetitions);
			}
		}

	}

}
