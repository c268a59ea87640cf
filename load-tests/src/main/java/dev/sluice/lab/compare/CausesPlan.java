package dev.sluice.lab.compare;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

import dev.sluice.contract.BackendBehaviour.Capacity;
import dev.sluice.lab.compare.ComparePlan.Block;
import dev.sluice.lab.compare.ComparePlan.Gateway;
import dev.sluice.lab.compare.page.Collapse;
import dev.sluice.lab.compare.page.Collapse.Setting;
import dev.sluice.lab.kit.cell.Cell;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.plan.BackendModel;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.run.LengthOptions.Length;
import dev.sluice.lab.kit.stack.ServiceOptions;
import dev.sluice.lab.kit.stack.Variant;

/**
 * The comparison of {@code lab compare --causes}: what each factor costs the blocking
 * gateway. A block is one setting with its own start of the gateway. All settings are
 * repeated in turn, and each repetition begins with another one, so that a machine that
 * slows down does so for all. Without repetitions the base runs first and last, which
 * shows the machine's own variation.
 *
 * @param length a shorter experiment than the whole has no repetitions
 * @param repetitions of all settings
 */
record CausesPlan(Length length, int repetitions) {

	/**
	 * Orders of a longer cell with {@value Collapse#MANY} in flight, so that a collector
	 * has work to do.
	 */
	private static final int LONG = 5_000;

	/** Its queue is longer than the number of requests in flight, retries included. */
	private static final BackendModel THREE_THREADS = new BackendModel("3-threads",
			BackendModel.UNLIMITED.behaviour().withCapacity(new Capacity.Workers(3, 10_000)));

	ComparePlan plan() {
		if (this.length == Length.SMALLEST) {
			return plan(
					List.of(block("1-01", Setting.CONNECTIONS, List.of(cell(Setting.CONNECTIONS, Collapse.FEW, 1)))));
		}
		int starts = (this.length == Length.WHOLE) ? this.repetitions : 1;
		List<Block> blocks = new ArrayList<>();
		for (int start = 1; start <= starts; start++) {
			List<Setting> settings = new ArrayList<>(List.of(Setting.values()));
			Collections.rotate(settings, 1 - start);
			for (Setting setting : settings) {
				blocks.add(block(name(start, blocks), setting, cells(setting, start)));
			}
		}
		if (starts == 1) {
			blocks.add(block(name(2, blocks), Setting.BASE, cells(Setting.BASE, 2)));
		}
		return plan(blocks);
	}

	private static String name(int start, List<Block> before) {
		return String.format(Locale.ROOT, "%s-%02d", start, before.size() + 1);
	}

	private Block block(String name, Setting setting, List<Cell> cells) {
		return new Block(name, List.of(new Gateway(setting.label(), Variant.SERVLET_PLATFORM, gateway(setting))),
				setting.has(Setting.CONNECTIONS), cells);
	}

	private ServiceOptions gateway(Setting setting) {
		String heap = setting.has(Setting.HEAP) ? "192m" : "1g";
		int threads = setting.has(Setting.GATEWAY_THREADS) ? 14 : 1_000;
		boolean retries = setting.has(Setting.RETRIES);
		ServiceOptions options = ServiceOptions.NONE.withJvmArgs("-Xms" + heap, "-Xmx" + heap)
			.withProperty("server.tomcat.threads.max", threads)
			// Started in advance, so that no cell is slowed by starting threads.
			.withProperty("server.tomcat.threads.min-spare", threads)
			.withProperty("backend.response-timeout", retries ? "10s" : "60s")
			.withProperty("backend.max-attempts", retries ? 3 : 1);
		if (setting.has(Setting.COLLECTOR)) {
			// First switches off the usual collector: a JVM refuses two.
			options = options.withJvmArgs("-XX:-UseG1GC", "-XX:+UseSerialGC");
		}
		if (setting.has(Setting.CONNECTIONS)) {
			options = options.withProperty("backend.idle-timeout", "1s");
		}
		return options;
	}

	private static List<Cell> cells(Setting setting, int start) {
		int before = (start - 1) * Collapse.TRIALS;
		// Cells of a slow backend are long enough.
		int trials = setting.has(Setting.BACKEND_THREADS) ? 1 : Collapse.TRIALS;
		List<Cell> cells = new ArrayList<>();
		for (int trial = 1; trial <= trials; trial++) {
			cells.add(cell(setting, Collapse.FEW, before + trial));
			cells.add(cell(setting, Collapse.MANY, before + trial));
		}
		if (setting.concernsMemoryAlone()) {
			cells.add(cell(setting, LONG, before + 1));
		}
		return cells;
	}

	private static Cell cell(Setting setting, int orders, int repetition) {
		BackendModel backend = setting.has(Setting.BACKEND_THREADS) ? THREE_THREADS : BackendModel.UNLIMITED;
		return new Cell(setting.label(), Mode.SYNC.label(), backend.label(), new Load(Load.Kind.BURST, orders),
				repetition);
	}

	private ComparePlan plan(List<Block> blocks) {
		CellLoad load = CellLoad.burst((this.length == Length.WHOLE) ? 180_000 : 60_000,
				(this.length == Length.SMALLEST) ? 300 : 4_000);
		return new ComparePlan(blocks, List.of(BackendModel.UNLIMITED, THREE_THREADS), load, "384m", ComparePlan.G1, 0);
	}

}
