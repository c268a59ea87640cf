package dev.sluice.lab.kit.plan;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A few seconds of a warm-up, all services together.
 *
 * @param endSeconds after the beginning of the warm-up
 * @param savedPerSecond orders that the backend saved, by the length of the window
 * @param cpuMillisPerOrder CPU time of all services and the load generator for a saved
 * order, in milliseconds; null if none was saved or the system does not tell the time
 */
public record WarmUpWindow(double endSeconds, double savedPerSecond, @Nullable Double cpuMillisPerOrder) {

	/** Whether the last two windows agree. */
	public static boolean agree(List<WarmUpWindow> windows, double within) {
		if (windows.size() < 2) {
			return false;
		}
		WarmUpWindow last = windows.getLast();
		WarmUpWindow before = windows.get(windows.size() - 2);
		return near(before.savedPerSecond(), last.savedPerSecond(), within)
				&& (before.cpuMillisPerOrder() == null || last.cpuMillisPerOrder() == null
						|| near(before.cpuMillisPerOrder(), last.cpuMillisPerOrder(), within));
	}

	private static boolean near(double one, double other, double within) {
		double greater = Math.max(one, other);
		return greater > 0 && Math.abs(one - other) <= within * greater;
	}

}
