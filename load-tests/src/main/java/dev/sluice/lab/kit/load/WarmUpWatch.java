package dev.sluice.lab.kit.load;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import dev.sluice.lab.kit.cell.Window;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.plan.Phase.Settling;
import dev.sluice.lab.kit.plan.Phase.WarmUpWindow;
import dev.sluice.lab.kit.process.ProcessSampler.Sample;
import dev.sluice.lab.kit.process.ProcessSamples;
import dev.sluice.lab.kit.result.RunResult.Check;

/** The windows of a warm-up, and whether it is over. Not thread-safe. */
public final class WarmUpWatch {

	private final Settling rule;

	private final List<WarmUpWindow> windows = new ArrayList<>();

	/** Begin of the first window. */
	private Instant start = Instant.EPOCH;

	public WarmUpWatch(Settling rule) {
		this.rule = rule;
	}

	/** Adds a window, in which so many orders were saved. */
	public void add(Window window, ProcessSamples samples, long orders) {
		if (this.windows.isEmpty()) {
			this.start = window.start();
		}
		Double spent = samples.cpuMillis(Sample.OWN, window);
		this.windows.add(new WarmUpWindow(new Window(this.start, window.end()).seconds(), orders / window.seconds(),
				(orders > 0 && spent != null && spent > 0) ? Double.valueOf(spent / orders) : null,
				samples.jitShare(Sample.OWN, window)));
	}

	/** Whether it has settled or its time is up. */
	public boolean isOver() {
		boolean saved = this.windows.stream().anyMatch((window) -> window.savedPerSecond() > 0);
		return isSettled() || hasLasted(saved ? this.rule.mostMillis() : this.rule.mostUnsavedMillis());
	}

	boolean isSettled() {
		return hasLasted(this.rule.leastMillis()) && WarmUpWindow.isWarm(this.windows);
	}

	private boolean hasLasted(long millis) {
		return !this.windows.isEmpty() && this.windows.getLast().endSeconds() * 1_000 >= millis;
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
