package dev.sluice.lab.kit.load;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.plan.Phase.Settling;
import dev.sluice.lab.kit.plan.Phase.WarmUpWindow;
import dev.sluice.lab.kit.process.ProcessTime.Reading;
import dev.sluice.lab.kit.result.RunResult.Check;

/** The windows of a warm-up, and whether it is over. Not thread-safe. */
public final class WarmUpWatch {

	private static final double SECOND_NANOS = 1e9;

	private final Settling rule;

	private final List<WarmUpWindow> windows = new ArrayList<>();

	/** Begin of the first window. */
	private long startNanos;

	private long endNanos;

	private long saved;

	public WarmUpWatch(Settling rule) {
		this.rule = rule;
	}

	/** Adds a window, in which so many orders were saved. */
	public void add(Reading begin, Reading end, long orders) {
		if (this.windows.isEmpty()) {
			this.startNanos = begin.nanos();
		}
		this.endNanos = end.nanos();
		this.saved += orders;
		long spent = end.cpuMillis() - begin.cpuMillis();
		this.windows.add(new WarmUpWindow((this.endNanos - this.startNanos) / SECOND_NANOS,
				orders * SECOND_NANOS / Math.max(1, this.endNanos - begin.nanos()),
				(orders > 0 && spent > 0) ? (double) spent / orders : null,
				(end.jitMillis() != null && begin.jitMillis() != null && spent > 0)
						? (double) (end.jitMillis() - begin.jitMillis()) / spent : null));
	}

	/** Whether it has settled or its time is up. */
	public boolean isOver() {
		long most = (this.saved > 0) ? this.rule.mostMillis() : this.rule.mostUnsavedMillis();
		return isSettled() || this.endNanos - this.startNanos >= most * 1_000_000;
	}

	boolean isSettled() {
		return this.endNanos - this.startNanos >= this.rule.leastMillis() * 1_000_000
				&& WarmUpWindow.isWarm(this.windows);
	}

	public List<WarmUpWindow> windows() {
		return List.copyOf(this.windows);
	}

	/**
	 * Whether the services were warm.
	 * @param warmUps windows by what they were before
	 */
	public static Check check(Map<String, List<WarmUpWindow>> warmUps) {
		List<String> cold = warmUps.keySet()
			.stream()
			.filter((each) -> !WarmUpWindow.isWarm(Objects.requireNonNull(warmUps.get(each))))
			.sorted()
			.toList();
		return new Check("The services were warm before they were measured", !warmUps.isEmpty() && cold.isEmpty(),
				"in %s of %s warm-ups the last two windows agree in rate and CPU per order within %s, the compilers at most at %s of the CPU%s"
					.formatted(warmUps.size() - cold.size(), warmUps.size(), Figures.percent(WarmUpWindow.AGREE_WITHIN),
							Figures.percent(WarmUpWindow.MAX_JIT_SHARE),
							cold.isEmpty() ? "" : "; not before " + String.join(", ", cold)));
	}

}
