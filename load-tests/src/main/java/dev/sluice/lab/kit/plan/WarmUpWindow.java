package dev.sluice.lab.kit.plan;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A few seconds of a warm-up, all services together.
 *
 * @param endSeconds since the beginning of the warm-up
 * @param savedPerSecond by the backend
 * @param cpuMillisPerOrder CPU time of all services and the load generator per saved
 * order
 * @param jitShare of that CPU time, by compilers
 */
public record WarmUpWindow(double endSeconds, double savedPerSecond, @Nullable Double cpuMillisPerOrder,
		@Nullable Double jitShare) {

	/**
	 * Above this share of the CPU time the JVMs are cold. The rates of cold JVMs agree
	 * too, as long as the compilers have more to do than their share of the cores allows.
	 */
	public static final double MAX_JIT_SHARE = 0.05;

	/**
	 * The greatest difference, in rate and in CPU per order, between two windows that
	 * agree, as a share of the greater.
	 */
	public static final double AGREE_WITHIN = 0.10;

	/** Whether the last two windows agree and the compilers have little left to do. */
	public static boolean isWarm(List<WarmUpWindow> windows) {
		if (windows.size() < 2) {
			return false;
		}
		WarmUpWindow last = windows.getLast();
		WarmUpWindow before = windows.get(windows.size() - 2);
		return (last.jitShare() == null || last.jitShare() <= MAX_JIT_SHARE)
				&& near(before.savedPerSecond(), last.savedPerSecond())
				&& (before.cpuMillisPerOrder() == null || last.cpuMillisPerOrder() == null
						|| near(before.cpuMillisPerOrder(), last.cpuMillisPerOrder()));
	}

	private static boolean near(double one, double other) {
		double greater = Math.max(one, other);
		return greater > 0 && Math.abs(one - other) <= AGREE_WITHIN * greater;
	}

}
