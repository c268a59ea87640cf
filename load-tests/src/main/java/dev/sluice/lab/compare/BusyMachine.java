package dev.sluice.lab.compare;

import java.lang.management.ManagementFactory;
import java.time.Duration;

import com.sun.management.OperatingSystemMXBean;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.run.Progress;
import dev.sluice.lab.kit.stack.LabException;

/** Whether other processes use this machine's CPU, before the lab starts any. */
public final class BusyMachine {

	/** Programs that work every few seconds are seen, too. */
	private static final Duration LOOK = Duration.ofSeconds(5);

	private BusyMachine() {
	}

	/**
	 * Looks for 5 s.
	 * @return the share of the machine's CPU that other processes used, 0 to 1; below 0
	 * if it is not known
	 */
	public static double foreignCpuShare() throws InterruptedException {
		OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
		// Both count from the call before.
		system.getCpuLoad();
		system.getProcessCpuLoad();
		Thread.sleep(LOOK);
		double all = system.getCpuLoad();
		return (all < 0) ? all : Math.max(0, all - Math.max(0, system.getProcessCpuLoad()));
	}

	/**
	 * Looks, and says what it finds.
	 * @param force whether to go on with a busy machine
	 * @throws LabException if the machine is busy, unless forced
	 */
	public static void check(Progress progress, boolean force) throws InterruptedException {
		progress.step("Looking for %s s whether anything else uses this machine".formatted(LOOK.toSeconds()));
		check(foreignCpuShare(), progress, force);
	}

	static void check(double foreignCpuShare, Progress progress, boolean force) {
		if (!Reliability.disturbed(foreignCpuShare)) {
			return;
		}
		String busy = "other processes use %s of the machine's CPU, more than %s makes each figure unreliable"
			.formatted(Figures.percent(foreignCpuShare), Figures.percent(Reliability.FOREIGN_CPU_LIMIT));
		if (!force) {
			throw new LabException(busy + ": end them, or measure anyway with --force");
		}
		progress.step(busy);
	}

}
