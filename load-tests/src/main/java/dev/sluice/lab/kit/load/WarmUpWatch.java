package dev.sluice.lab.kit.load;

import java.util.ArrayList;
import java.util.List;

import dev.sluice.lab.kit.plan.Phase.Settling;
import dev.sluice.lab.kit.plan.WarmUpWindow;
import org.jspecify.annotations.Nullable;

/** The windows of a warm-up, and whether it is over. Not thread-safe. */
final class WarmUpWatch {

	private static final double SECOND_NANOS = 1e9;

	private final Settling rule;

	private final List<WarmUpWindow> windows = new ArrayList<>();

	private long startNanos;

	private long endNanos;

	private long saved;

	private long cpuMillis;

	private @Nullable Long jitMillis;

	WarmUpWatch(Settling rule) {
		this.rule = rule;
	}

	/**
	 * Begins the first window.
	 * @param cpu CPU time of the processes until now, in milliseconds
	 * @param jit the part of it that their compilers used; null where the system does not
	 * report it
	 */
	void start(long nanos, long cpu, @Nullable Long jit) {
		this.startNanos = nanos;
		this.endNanos = nanos;
		this.cpuMillis = cpu;
		this.jitMillis = jit;
	}

	/**
	 * Ends a window and begins the next one.
	 * @param orders saved since the start
	 * @param cpu CPU time of the processes until now, in milliseconds
	 * @param jit the part of it that their compilers used; null where the system does not
	 * report it
	 */
	void window(long nanos, long orders, long cpu, @Nullable Long jit) {
		long more = orders - this.saved;
		long spent = cpu - this.cpuMillis;
		this.windows.add(new WarmUpWindow((nanos - this.startNanos) / SECOND_NANOS,
				more * SECOND_NANOS / Math.max(1, nanos - this.endNanos),
				(more > 0 && spent > 0) ? (double) spent / more : null,
				(jit != null && this.jitMillis != null && spent > 0) ? (double) (jit - this.jitMillis) / spent : null));
		this.endNanos = nanos;
		this.saved = orders;
		this.cpuMillis = cpu;
		this.jitMillis = jit;
	}

	/** Whether it has settled or its time is up. */
	boolean isOver() {
		long most = (this.saved > 0) ? this.rule.mostMillis() : this.rule.mostUnsavedMillis();
		return isSettled() || this.endNanos - this.startNanos >= most * 1_000_000;
	}

	boolean isSettled() {
		return this.endNanos - this.startNanos >= this.rule.leastMillis() * 1_000_000
				&& WarmUpWindow.isWarm(this.windows, this.rule.within());
	}

	List<WarmUpWindow> windows() {
		return List.copyOf(this.windows);
	}

}
