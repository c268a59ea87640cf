package dev.sluice.lab.compare.page;

import java.util.ArrayList;
import java.util.List;

import dev.sluice.lab.compare.figures.Coordinates;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.result.CompareResult;
import dev.sluice.lab.kit.result.RunResult;

/**
 * The sections of {@code lab compare}, in the order of the page, without those that have
 * no data in a run.
 */
public final class CompareSections {

	private CompareSections() {
	}

	public static List<Section> of(RunResult run) {
		Load.Kind kind = Coordinates.kind(run);
		List<Section> sections = new ArrayList<>();
		boolean scenario = run.finding() instanceof CompareResult compare && compare.scenario() != null;
		if (!scenario) {
			sections.add((kind == Load.Kind.OFFERED) ? new RateSection() : new SummarySection());
		}
		sections.addAll(List.of(new ThroughputSection(), new WaitSection(), new CostSection()));
		if (BottleneckSection.appliesTo(run)) {
			sections.add(new BottleneckSection());
		}
		if (!scenario) {
			sections.add(new ConclusionsSection());
		}
		if (WarmUpSection.appliesTo(run)) {
			sections.add(new WarmUpSection());
		}
		if (!SecondsSection.chosen(run).isEmpty()) {
			sections.add(new SecondsSection());
		}
		if (DifferencesSection.appliesTo(run)) {
			sections.add(new DifferencesSection());
		}
		if (!scenario && kind == Load.Kind.BURST) {
			sections.add(new ReferenceSection());
		}
		return sections;
	}

}
