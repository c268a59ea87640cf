package dev.sluice.lab.sink;

import java.util.List;

import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.result.SinkResult;
import dev.sluice.lab.kit.result.SinkResult.Setting;

/** The transfers as text of 100 columns, with medians of the repetitions. */
final class SinkText {

	private SinkText() {
	}

	static String of(SinkResult result) {
		StringBuilder text = new StringBuilder();
		for (Setting setting : Setting.values()) {
			List<SinkFigures> rows = SinkFigures.of(result, setting);
			if (!rows.isEmpty()) {
				text.append("When ")
					.append(SinkFigures.words(setting))
					.append("%n%-30s %8s %8s %11s %10s %12s %10s%n".formatted("", "seconds", "MB/s", "messages/s",
							"speed-up", "on the wire", "CPU ms/MB"));
				rows.forEach((row) -> text.append("%-30s %8.2f %8.1f %,11.0f %9.2fx %12s %10.2f%n".formatted(
						SinkFigures.words(row.mode()), row.seconds(), row.megabytesPerSecond(), row.messagesPerSecond(),
						row.speedUp(), (row.wireShare() > 0) ? "%.1f%%".formatted(row.wireShare() * 100) : Figures.NONE,
						row.cpuMillisPerMegabyte())));
				for (SinkFigures row : rows) {
					String asked = row.asked(setting);
					if (asked != null) {
						text.append("%s: asked %s%s%n".formatted(SinkFigures.words(row.mode()), asked,
								(setting == Setting.LOOPBACK) ? " of Kafka's producer" : ""));
					}
				}
			}
		}
		return text.toString();
	}

}
