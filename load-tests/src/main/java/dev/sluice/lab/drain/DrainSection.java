package dev.sluice.lab.drain;

import java.util.List;

import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.result.DrainResult;
import dev.sluice.lab.kit.result.RunResult;

/** The rate of the consumer alone. */
public final class DrainSection extends Section {

	private static final double MIB = 1024 * 1024;

	private final DrainResult drain;

	public DrainSection(DrainResult drain) {
		super("drain", "How fast does the consumer alone deliver?");
		this.drain = drain;
	}

	@Override
	public List<String> answers(RunResult run) {
		return List.of(answer(this.drain));
	}

	static String answer(DrainResult drain) {
		return "%,.0f orders/s while %,d were delivered (%.1f s): %.1f %% of the %,.0f/s that %d at once and %d ms allow (%s)"
			.formatted(drain.perSecond(), drain.counted(), drain.seconds(), drain.share() * 100, drain.idealPerSecond(),
					drain.deliveryConcurrency(), drain.delayMillis(), drain.delays());
	}

	private static String use(DrainResult.Use use) {
		return "%s: %s CPU µs an order, at most %s MiB resident and %s threads".formatted(use.process(),
				(use.cpuMicrosPerOrder() != null) ? "%.0f".formatted(use.cpuMicrosPerOrder()) : "?",
				(use.peakRssBytes() != null) ? "%.0f".formatted(use.peakRssBytes() / MIB) : "?",
				(use.peakThreads() != null) ? use.peakThreads() : "?");
	}

	@Override
	public void write(RunResult run, Html html) {
		html.list(answers(run), "class", "answer");
		html.list(this.drain.use().stream().map(DrainSection::use).toList());
	}

}
