package dev.sluice.lab.chaos;

import java.util.List;

import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.result.ChaosResult;
import dev.sluice.lab.kit.result.RunResult;

/** What the balance proves and what it does not. */
final class WitnessSection extends Section {

	private final ChaosResult chaos;

	WitnessSection(ChaosResult chaos) {
		super("proof", "What this proves, and what it does not");
		this.chaos = chaos;
	}

	@Override
	public void write(RunResult run, Html html) {
		String load = "The load is an open model: orders are due by the clock, whatever became of those before. The latest was sent %s ms late."
			.formatted(Figures.count(this.chaos.latestMillis()));
		html.list(List.of(
				"An order counts as accepted once any of its attempts was answered 2xx. After the last fault, the backend is asked for every single order by its id, and a gateway for those that it does not have.",
				load,
				"The backend is the witness: %s."
					.formatted(run.configuration().getOrDefault("backend", "50 ms an order")),
				"Processes are killed, not machines: what the operating system holds in its page cache survives. A single broker whose machine loses power may lose what it has not yet flushed; replication is what helps there."));
	}

}
