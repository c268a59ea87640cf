package dev.sluice.lab.kit.page;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.Load;
import org.jspecify.annotations.Nullable;

/**
 * Why a figure is unreliable. An unreliable figure is shown, with {@value #SIGN} after it
 * and as a hollow point in a chart.
 */
public final class Reliability {

	/** The sign after a marked figure. */
	public static final String SIGN = "†";

	/**
	 * A cell is marked if other processes used more than this share of the machine's CPU.
	 */
	public static final double FOREIGN_CPU_LIMIT = 0.10;

	/**
	 * A cell is marked if the compilers used more than this share of the processes' CPU
	 * time.
	 */
	public static final double COMPILING_LIMIT = 0.10;

	/** If a generator is later than this, its latencies are not those of its target. */
	public static final double LAG_LIMIT_MILLIS = 20;

	private Reliability() {
	}

	/** The reasons why a cell is unreliable. */
	public static List<String> of(CellResult cell) {
		List<String> marks = evidence(cell);
		if (cell.foreignCpuShare() == null) {
			marks.add("what other processes used of the machine's CPU is not known");
		}
		return marks;
	}

	/**
	 * Whether nothing may be concluded from a cell: not why it was not faster, and not
	 * whether it met a goal. It is not enough that the CPU of other processes is unknown,
	 * as it always is on a deployed system.
	 */
	public static boolean unusable(CellResult cell) {
		return !evidence(cell).isEmpty();
	}

	private static List<String> evidence(CellResult cell) {
		List<String> marks = new ArrayList<>();
		if (cell.problem() != null) {
			marks.add(cell.problem());
		}
		if (cell.foreignCpuShare() != null && disturbed(cell.foreignCpuShare())) {
			marks
				.add("other processes used %s of the machine's CPU".formatted(Figures.percent(cell.foreignCpuShare())));
		}
		Double compiling = (cell.utilisation() != null) ? cell.utilisation().jitShare() : null;
		// Before a burst they need not be warm.
		if (compiling != null && compiling > COMPILING_LIMIT && cell.cell().load().kind() != Load.Kind.BURST) {
			marks.add(
					"the JVMs were not warm: their compilers used %s of the CPU".formatted(Figures.percent(compiling)));
		}
		if (CellResult.isLagged(cell.startLagP99Millis(), cell.latency())) {
			marks.add("the load generator began up to %s ms late, which the latencies do not include"
				.formatted(Figures.count(Objects.requireNonNull(cell.startLagP99Millis()))));
		}
		return marks;
	}

	/**
	 * Whether other processes used too much of the machine's CPU, or may have.
	 * @param foreignCpuShare their share, 0 to 1; null if it is not known
	 */
	public static boolean disturbed(@Nullable Double foreignCpuShare) {
		return foreignCpuShare == null || foreignCpuShare > FOREIGN_CPU_LIMIT;
	}

	/**
	 * Whether a load was sent late, or other processes disturbed it or may have.
	 * @param lagP99Millis how late its generator sent 99 % of the requests, at most
	 * @param foreignCpuShare share of the machine's CPU that other processes used, 0 to
	 * 1; null if not sampled
	 */
	public static boolean marked(double lagP99Millis, @Nullable Double foreignCpuShare) {
		return lagP99Millis > LAG_LIMIT_MILLIS || disturbed(foreignCpuShare);
	}

	/** Whether a cell is unreliable. */
	public static boolean marked(CellResult cell) {
		return !of(cell).isEmpty();
	}

	/** The figure, with the sign if it is marked. */
	public static String sign(String text, boolean marked) {
		return marked ? text + " " + SIGN : text;
	}

}
