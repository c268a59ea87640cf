package dev.sluice.lab.sink;

import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.page.Column;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
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
		return List.of(new Section("transfers", "How fast is the data stored and acknowledged?",
				sink.transfers().isEmpty() ? List.of("No transfer was measured.") : answers(sink),
				settings(sink).map((setting) -> table(sink, setting)).toList(), (html) -> transfers(sink, html)));
	}

	/** The settings that were measured. */
	private static Stream<Setting> settings(SinkResult sink) {
		return Stream.of(Setting.values()).filter((setting) -> !rows(sink, setting).isEmpty());
	}

	/**
	 * The repetitions of a mode.
	 *
	 * @param first rate of the setting's first mode, in MB per second
	 */
	private record Row(Mode mode, List<Transfer> transfers, double first) {

		/** The median of the repetitions. */
		double median(ToDoubleFunction<Transfer> figure) {
			return Objects.requireNonNull(Figures.median(this.transfers.stream().mapToDouble(figure)));
		}

		double megabytesPerSecond() {
			return median(Transfer::megabytesPerSecond);
		}

		/** The rate as a multiple of the first mode's. */
		double speedUp() {
			return megabytesPerSecond() / this.first;
		}

		DoubleSummaryStatistics range() {
			return this.transfers.stream().mapToDouble(Transfer::megabytesPerSecond).summaryStatistics();
		}

	}

	/** The modes of a setting, in the order in which they were first measured. */
	private static List<Row> rows(SinkResult sink, Setting setting) {
		Map<Mode, List<Transfer>> transfers = sink.transfers()
			.stream()
			.filter((transfer) -> transfer.setting() == setting)
			.collect(Collectors.groupingBy(Transfer::mode, LinkedHashMap::new, Collectors.toList()));
		List<Row> rows = new ArrayList<>();
		transfers.forEach((mode, each) -> rows.add(new Row(mode, each,
				rows.isEmpty() ? new Row(mode, each, 1).megabytesPerSecond() : rows.getFirst().first())));
		return rows;
	}

	private static List<String> answers(SinkResult sink) {
		List<String> answers = new ArrayList<>();
		for (Setting setting : List.of(Setting.STORAGE, Setting.LINK)) {
			answer(sink, setting, "stop and wait over 54 connections",
					(row) -> Figures.measured(Math.round(row.speedUp() * 10) / 10.0) + " times")
				.forEach(answers::add);
		}
		answer(sink, Setting.LOOPBACK, "Kafka's own producer", (row) -> Figures.percent(row.speedUp()))
			.forEach(answers::add);
		return answers;
	}

	private static Stream<String> answer(SinkResult sink, Setting setting, String first, Function<Row, String> figure) {
		List<Row> rows = rows(sink, setting);
		return (rows.size() < 2) ? Stream.of()
				: Stream.of("When %s, against %s: %s.".formatted(setting.words(), first,
						rows.stream()
							.skip(1)
							.map((row) -> "%s %s".formatted(row.mode().words(), figure.apply(row)))
							.collect(Collectors.joining("; "))));
	}

	private static void transfers(SinkResult sink, Html html) {
		html.charts(settings(sink).map((setting) -> chart(sink, setting)).toList());
		html.note(
				"MB are 10^6 bytes of data, before compression. On the wire: what the client sent, with gRPC's framing and without the headers of HTTP/2, TCP and IP. CPU: of client and sink together. Medians of the repetitions. Where the storage's latency binds, each message takes the storage %s ms: with that, 54 connections that wait reach the 49 Mbit/s of the reference."
					.formatted(Figures.measured(sink.storeDelayMillis())));
	}

	private static Chart chart(SinkResult sink, Setting setting) {
		List<Row> rows = rows(sink, setting);
		return Chart.Stack.of("Data stored and acknowledged when " + setting.words(),
				"A bar for each way of moving the data, in MB per second.", "MB/s",
				rows.stream().mapToDouble(Row::megabytesPerSecond).max().orElse(1), List.of("data, before compression"),
				rows.stream()
					.map((row) -> Chart.StackRow.of(row.mode().words(), style(row.mode()), false,
							row.megabytesPerSecond()))
					.toList());
	}

	private static Table table(SinkResult sink, Setting setting) {
		return Table.of("Transfers when " + setting.words(), rows(sink, setting),
				List.of(Column.words("Mode", (row) -> row.mode().words()),
						Column.count("connections", (row) -> row.transfers().getFirst().connections()),
						Column.measured("seconds", (row) -> row.median(Transfer::seconds)),
						Column.measured("MB/s", Row::megabytesPerSecond),
						Column.count("messages/s", (row) -> Math.round(row.median(Transfer::messagesPerSecond))),
						Column.measured("speed-up", Row::speedUp), Column.percent("on the wire", SinkPage::wireShare),
						Column.measured("CPU ms per MB", (row) -> row.median(Transfer::cpuMillisPerMegabyte)),
						Column.measured("least MB/s", (row) -> row.range().getMin()),
						Column.measured("greatest", (row) -> row.range().getMax())));
	}

	/** Bytes sent divided by bytes of data; null if unknown. */
	private static @Nullable Double wireShare(Row row) {
		double share = row.median((transfer) -> (double) transfer.wireBytes() / transfer.bytes());
		return (share > 0) ? Double.valueOf(share) : null;
	}

	/** A mode's colour, the same in every chart. */
	private static int style(Mode mode) {
		return switch (mode) {
			case STOP_AND_WAIT, KAFKA -> 0;
			case STREAM -> 1;
			case STREAM_ZSTD -> 2;
			case STREAM_DICTIONARY, STREAM_SPOOL -> 3;
		};
	}

}
