package dev.sluice.lab.grid;

import java.util.List;
import java.util.Optional;

import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.result.GridResult;
import dev.sluice.lab.kit.result.GridResult.Cell;

/** A grid's cells by their coordinates. */
record Grid(GridResult result) {

	static final String ASYNC = "servlet-async";

	private static final List<String> STYLES = List.of("servlet-platform", "servlet-virtual", ASYNC, "reactive");

	/** The fifth colour, after those of the variants. */
	private static final int SMALL_POOL_STYLE = 4;

	/** Name of the blocking gateway with a pool as small as the reference's. */
	String smallPool() {
		return "servlet-platform-" + this.result.smallPool();
	}

	List<String> variants() {
		return this.result.cells().stream().map(Cell::variant).distinct().toList();
	}

	List<Long> delays() {
		return this.result.cells().stream().map(Cell::delayMillis).distinct().sorted().toList();
	}

	List<Integer> concurrencies() {
		return this.result.cells().stream().map(Cell::concurrency).distinct().sorted().toList();
	}

	/**
	 * The reference's highest load, 100, or the nearest measured one below it; 0 if none
	 * was measured.
	 */
	int comparable() {
		return concurrencies().stream()
			.filter((load) -> load <= 100)
			.max(Integer::compare)
			.orElse(concurrencies().isEmpty() ? 0 : concurrencies().getFirst());
	}

	Optional<Cell> at(String variant, long delayMillis, int concurrency) {
		return this.result.cells()
			.stream()
			.filter((cell) -> cell.variant().equals(variant) && cell.delayMillis() == delayMillis
					&& cell.concurrency() == concurrency)
			.findFirst();
	}

	static int style(String variant) {
		int style = STYLES.indexOf(variant);
		return (style < 0) ? SMALL_POOL_STYLE : style;
	}

	static boolean marked(Cell cell) {
		return Reliability.disturbed(cell.foreignCpuShare());
	}

}
