package dev.sluice.lab.sink;

import java.util.DoubleSummaryStatistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.function.DoubleFunction;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.page.Column;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.SinkResult;
import dev.sluice.lab.kit.result.SinkResult.Mode;
import dev.sluice.lab.kit.result.SinkResult.Setting;
import dev.sluice.lab.kit.result.SinkResult.Transfer;
import org.jspecify.annotations.Nullable;

/** What {@code lab sink} shows: the rate of each way of moving the data. */
public final class SinkPage {

	private SinkPage() {
	}

	/** The sections of a report, in the order of the page. */
	public static List<Section> sections(SinkResult sink) {
		Section section = new Section("transfers", "How fast is the data stored and acknowledged?");
		section.answers(sink.transfers().isEmpty() ? List.of("No transfer was measured.") : answers(sink));
		settings(sink).forEach((setting) -> section.shown(table(sink, setting)));
		section.charts(settings(sink).map((setting) -> chart(sink, setting)).toList());
		section.note(
				"MB are 10^6 bytes of data, before compression. On the wire: what the client sent, with gRPC's framing and without the headers of HTTP/2, TCP and IP. CPU: of client and sink together. Medians of the repetitions. Where the storage's latency binds, each message takes the storage %s ms: with that, 54 connections that wait reach the 49 Mbit/s of the reference."
					.formatted(Figures.measured(sink.storeDelayMillis())));
		return List.of(section);
	}

	/** The settings that were measured. */
	private static Stream<Setting> settings(SinkResult sink) {
		return Stream.of(Setting.values()).filter((setting) -> !rows(sink, setting).isEmpty());
	}

	/** The repetitions of a mode. */
	private record Row(List<Transfer> transfers) {

		Mode mode() {
			return this.transfers.getFirst().mode();
		}

		/** The median of the repetitions. */
		double median(ToDoubleFunction<Transfer> figure) {
			return Objects.requireNonNull(Figures.median(this.transfers.stream().mapToDouble(figure)));
		}

		double megabytesPerSecond() {
			return median(Transfer::megabytesPerSecond);
		}

		/** The rate as a multiple of another mode's. */
		double speedUp(Row other) {
			return megabytesPerSecond() / other.megabytesPerSecond();
		}

		DoubleSummaryStatistics range() {
			return this.transfers.stream().mapToDouble(Transfer::megabytesPerSecond).summaryStatistics();
		}

	}

	/** The modes of a setting, in the order in which they were first measured. */
	private static List<Row> rows(SinkResult sink, Setting setting) {
		return sink.transfers()
			.stream()
			.filter((transfer) -> transfer.setting() == setting)
			.collect(Collectors.groupingBy(Transfer::mode, LinkedHashMap::new, Collectors.toList()))
			.values()
			.stream()
			.map(Row::new)
			.toList();
	}

	private static List<String> answers(SinkResult sink) {
		String first = "stop and wait over 54 connections";
		DoubleFunction<String> times = (speedUp) -> Figures.measured(Math.round(speedUp * 10) / 10.0) + " times";
		return Stream
			.of(answer(sink, Setting.STORAGE, first, times), answer(sink, Setting.LINK, first, times),
					answer(sink, Setting.LOOPBACK, "Kafka's own producer", Figures::percent))
			.flatMap((answer) -> answer)
			.toList();
	}

	private static Stream<String> answer(SinkResult sink, Setting setting, String first,
			DoubleFunction<String> figure) {
		List<Row> rows = rows(sink, setting);
		return (rows.size() < 2) ? Stream.of()
				: Stream.of("When %s, against %s: %s.".formatted(setting.words(), first, rows.stream()
					.skip(1)
					.map((row) -> "%s %s".formatted(row.mode().words(), figure.apply(row.speedUp(rows.getFirst()))))
					.collect(Collectors.joining("; "))));
	}

	private static Chart chart(SinkResult sink, Setting setting) {
		return Chart.Stack.of("Data stored and acknowledged when " + setting.words(), "MB/s", rows(sink, setting),
				(row) -> row.mode().words(), (_) -> false, Row::megabytesPerSecond);
	}

	private static Table table(SinkResult sink, Setting setting) {
		List<Row> rows = rows(sink, setting);
		return Table.of("Transfers when " + setting.words(), rows,
				List.of(Column.words("Mode", (row) -> row.mode().words()),
						Column.count("connections", (row) -> row.transfers().getFirst().connections()),
						Column.measured("seconds", (row) -> row.median(Transfer::seconds)),
						Column.measured("MB/s", Row::megabytesPerSecond),
						Column.count("messages/s", (row) -> Math.round(row.median(Transfer::messagesPerSecond))),
						Column.measured("speed-up", (row) -> row.speedUp(rows.getFirst())),
						Column.percent("on the wire", SinkPage::wireShare),
						Column.measured("CPU ms per MB", (row) -> row.median(Transfer::cpuMillisPerMegabyte)),
						Column.measured("least MB/s", (row) -> row.range().getMin()),
						Column.measured("greatest", (row) -> row.range().getMax())));
	}

	/** Bytes sent divided by bytes of data; null if unknown. */
	private static @Nullable Double wireShare(Row row) {
		double share = row.median((transfer) -> (double) transfer.wireBytes() / transfer.bytes());
		return (share > 0) ? Double.valueOf(share) : null;
	}

}
