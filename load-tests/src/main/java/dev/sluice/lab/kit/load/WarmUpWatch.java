package dev.sluice.lab.kit.load;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.plan.Phase.Settling;
import dev.sluice.lab.kit.plan.WarmUpWindow;
import dev.sluice.lab.kit.result.RunResult.Check;
import org.jspecify.annotations.Nullable;

/** The windows of a warm-up, and whether it is over. Not thread-safe. */
public final class WarmUpWatch {

	private static final double SECOND_NANOS = 1e9;

	private final Settling rule;

	private final List<WarmUpWindow> windows = new ArrayList<>();

	/** Begin of the first window. */
	private long startNanos;

	/** Begin of the latest window. */
	private long beginNanos;

	private long endNanos;

	private long saved;

	private long cpuMillis;

	private @Nullable Long jitMillis;

	public WarmUpWatch(Settling rule) {
		this.rule = rule;
	}

	/**
	 * Begins a window.
	 * @param cpu CPU time of the processes until now, in milliseconds
	 * @param jit the part of it that their compilers used; null where the system does not
	 * report it
	 */
	public void begin(long nanos, long cpu, @Nullable Long jit) {
		if (this.windows.isEmpty()) {
			this.startNanos = nanos;
		}
		this.beginNanos = nanos;
		this.cpuMillis = cpu;
		this.jitMillis = jit;
	}

	/**
	 * Ends a window.
	 * @param orders saved in it
	 * @param cpu CPU time of the processes until now, in milliseconds
	 * @param jit the part of it that their compilers used; null where the system does not
	 * report it
	 */
	public void end(long nanos, long orders, long cpu, @Nullable Long jit) {
		long spent = cpu - this.cpuMillis;
		this.windows.add(new WarmUpWindow((nanos - this.startNanos) / SECOND_NANOS,
				orders * SECOND_NANOS / Math.max(1, nanos - this.beginNanos),
				(orders > 0 && spent > 0) ? (double) spent / orders : null,
				(jit != null && this.jitMillis != null && spent > 0) ? (double) (jit - this.jitMillis) / spent : null));
		this.endNanos = nanos;
		this.saved += orders;
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
