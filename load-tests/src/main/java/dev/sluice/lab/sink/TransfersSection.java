package dev.sluice.lab.sink;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.result.SinkResult;
import dev.sluice.lab.kit.result.SinkResult.Setting;

/** The rate of each mode in each setting. */
final class TransfersSection extends Section {

	private static final int ROW_HEIGHT = 34;

	private static final int FRAME_HEIGHT = 84;

	private final SinkResult sink;

	TransfersSection(SinkResult sink) {
		super("transfers", "How fast is the data stored and acknowledged?");
		this.sink = sink;
	}

	@Override
	public void write(RunResult run, Html html) {
		if (this.sink.transfers().isEmpty()) {
			html.element("p", "No transfer was measured.", "class", "answer");
			return;
		}
		html.list(answers(run), "class", "answer");
		for (Setting setting : Setting.values()) {
			List<SinkFigures> figures = SinkFigures.of(this.sink, setting);
			if (!figures.isEmpty()) {
				html.element("h3", title(setting));
				html.chart(chart(setting, figures), rates(setting, figures));
				table(setting, figures).write(html);
			}
		}
		html.element("p",
				"MB are 10^6 bytes of data, before compression. On the wire: what the client sent, with gRPC's framing and without the headers of HTTP/2, TCP and IP. CPU: of client and sink together. Measured there: in the production system that this repeats. Medians of the repetitions.",
				"class", "note");
	}

	@Override
	public List<String> answers(RunResult run) {
		List<String> parts = new ArrayList<>();
		for (Setting setting : List.of(Setting.STORAGE, Setting.LINK)) {
			List<SinkFigures> figures = SinkFigures.of(this.sink, setting);
			if (figures.size() > 1) {
				parts.add("When %s, against stop and wait over 54 connections: %s.".formatted(
						SinkFigures.words(setting),
						list(figures, (row) -> Figures.measured(Math.round(row.speedUp() * 10) / 10.0) + " times")));
			}
		}
		for (Setting setting : List.of(Setting.LOOPBACK, Setting.LOOPBACK_SMALL)) {
			List<SinkFigures> figures = SinkFigures.of(this.sink, setting);
			if (figures.size() > 1) {
				parts.add("When %s, against Kafka's own producer: %s.".formatted(SinkFigures.words(setting),
						list(figures, (row) -> share(setting, row))));
			}
		}
		return parts;
	}

	private static String share(Setting setting, SinkFigures row) {
		String asked = row.asked(setting);
		String messages = (setting == Setting.LOOPBACK_SMALL) ? ", %,.0f messages/s".formatted(row.messagesPerSecond())
				: "";
		return Figures.percent(row.speedUp()) + messages + ((asked != null) ? " (asked: %s)".formatted(asked) : "");
	}

	private static String list(List<SinkFigures> figures, Function<SinkFigures, String> figure) {
		return String.join("; ",
				figures.stream()
					.skip(1)
					.map((row) -> "%s %s".formatted(SinkFigures.words(row.mode()), figure.apply(row)))
					.toList());
	}

	private static String title(Setting setting) {
		String words = SinkFigures.words(setting);
		return words.substring(0, 1).toUpperCase(Locale.ROOT) + words.substring(1);
	}

	private static Chart chart(Setting setting, List<SinkFigures> figures) {
		double top = figures.stream().mapToDouble(SinkFigures::megabytesPerSecond).max().orElse(1);
		List<Chart.StackRow> rows = figures.stream()
			.map((row) -> new Chart.StackRow(SinkFigures.words(row.mode()), SinkFigures.style(row.mode()), false,
					List.of(row.megabytesPerSecond())))
			.toList();
		return new Chart.Stack("Data stored and acknowledged when " + SinkFigures.words(setting),
				"A bar for each way of moving the data, in MB per second.", rows.size() * ROW_HEIGHT + FRAME_HEIGHT,
				500, "MB/s", top, List.of("data, before compression"), rows);
	}

	private static Table rates(Setting setting, List<SinkFigures> figures) {
		Table table = new Table("MB/s when " + SinkFigures.words(setting), 1,
				List.of("Mode", "median", "least", "greatest"));
		figures.forEach((row) -> table.row(SinkFigures.words(row.mode()), Figures.measured(row.megabytesPerSecond()),
				Figures.measured(row.least()), Figures.measured(row.greatest())));
		return table;
	}

	private static Table table(Setting setting, List<SinkFigures> figures) {
		// The reference has only this setting.
		boolean referred = setting == Setting.STORAGE;
		List<String> columns = new ArrayList<>(
				List.of("Mode", "connections", "seconds", "MB/s", "messages/s", "speed-up"));
		if (referred) {
			columns.add("speed-up measured there");
		}
		columns.addAll(List.of("on the wire", "CPU ms per MB"));
		Table table = new Table("Transfers when " + SinkFigures.words(setting), 1, columns);
		for (SinkFigures row : figures) {
			List<String> cells = new ArrayList<>(
					List.of(SinkFigures.words(row.mode()), Figures.count(row.connections()),
							Figures.measured(row.seconds()), Figures.measured(row.megabytesPerSecond()),
							Figures.count(Math.round(row.messagesPerSecond())), Figures.measured(row.speedUp())));
			if (referred) {
				cells.add(Figures.measured(SinkFigures.reference(row.mode())));
			}
			cells.add((row.wireShare() > 0) ? Figures.percent(row.wireShare()) : Figures.NONE);
			cells.add(Figures.measured(row.cpuMillisPerMegabyte()));
			table.row(cells);
		}
		return table;
	}

}
