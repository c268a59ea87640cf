package dev.sluice.lab.report;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import dev.sluice.lab.kit.page.Column;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.result.RunResult.Check;
import dev.sluice.lab.kit.result.RunResult.Environment;

/**
 * How to repeat a run, and where it ran. How figures are measured, and what limits them,
 * is in the documents.
 */
final class Method {

	private Method() {
	}

	static Section section(RunResult run) {
		return new Section("method", "How to repeat it, and where it ran", (html) -> write(run, html));
	}

	private static void write(RunResult run, Html html) {
		html.element("h3", "Repeat it");
		html.open("pre", "tabindex", "0").element("code", run.command()).close();
		html.paragraph(
				"docs/laboratory.md of this commit and the page of the experiment say how the figures are measured, and what limits them.");
		if (!run.checks().isEmpty()) {
			html.element("h3", "Checked against itself");
			html.table(Table.of("What must hold if these figures are to be believed", run.checks(),
					List.of(Column.words("Check", Check::what),
							Column.words("Holds", (check) -> check.holds() ? "yes" : "no"),
							Column.words("Figures", Check::detail))));
		}
		html.table(environment(run));
		if (!run.configuration().isEmpty()) {
			html.details("Configuration", Table.of("Configuration", "Name", new TreeMap<>(run.configuration())));
		}
	}

	private static Table environment(RunResult run) {
		Environment environment = run.environment();
		Map<String, String> values = new LinkedHashMap<>();
		values.put("Started", Figures.time(run.startedAt()));
		values.put("Took", Figures.duration(Duration.between(run.startedAt(), run.finishedAt())));
		values.put("Whole", (run.partial() != null) ? "no: " + run.partial() : "yes");
		values.put("Commit", environment.gitSha() + (environment.gitDirty() ? " with local changes" : ""));
		values.put("Processor", "%s, %s cores".formatted(environment.cpu(), Figures.count(environment.cores())));
		values.put("Memory", Figures.bytes(environment.memoryBytes()));
		values.put("System", environment.os());
		values.put("Java", environment.java());
		values.put("Kafka and PostgreSQL", environment.infrastructure());
		return Table.of("Where and when", "What", values);
	}

}
