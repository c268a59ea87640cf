package dev.sluice.lab.sink;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;

import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.result.SinkResult;
import dev.sluice.lab.kit.result.SinkResult.Moment;
import dev.sluice.lab.kit.result.SinkResult.Setting;
import dev.sluice.lab.kit.result.SinkResult.Transfer;
import org.jspecify.annotations.Nullable;

/** The stream's messages in flight and its window. */
final class WindowSection extends Section {

	private static final int PANEL_HEIGHT = 130;

	/** Transfers of fewer seconds have no chart, as it would be a few dots. */
	private static final int MIN_SECONDS = 3;

	private final SinkResult sink;

	WindowSection(SinkResult sink) {
		super("window", "How much is in flight, and how wide is the window?");
		this.sink = sink;
	}

	@Override
	public void write(RunResult run, Html html) {
		List<Transfer> shown = this.sink.transfers()
			.stream()
			.filter((transfer) -> transfer.repetition() == 1 && !transfer.moments().isEmpty()
					&& transfer.setting() != Setting.LINK_SMALL)
			.toList();
		if (shown.isEmpty()) {
			html.element("p", "No stream was measured.");
			return;
		}
		html.element("p",
				"The client's window follows twice the product of the greatest rate of acknowledgements and the shortest time of one. Each panel shows the most messages in flight in each second of a transfer of the first repetition; the last panel the window of the first; the tables have all. Where every transfer took less than three seconds there is only the table.");
		for (Setting setting : Setting.values()) {
			List<Transfer> transfers = shown.stream().filter((transfer) -> transfer.setting() == setting).toList();
			if (transfers.stream().anyMatch((transfer) -> seconds(transfer) >= MIN_SECONDS)) {
				html.chart(chart(setting, transfers), table(setting, transfers));
			}
			else if (!transfers.isEmpty()) {
				html.details("In flight and window when " + SinkFigures.words(setting), table(setting, transfers));
			}
		}
	}

	private static Chart chart(Setting setting, List<Transfer> transfers) {
		int seconds = transfers.stream().mapToInt(WindowSection::seconds).max().orElse(1);
		List<Chart.Panel> panels = new ArrayList<>();
		for (Transfer transfer : transfers) {
			List<@Nullable Double> inFlight = perSecond(transfer, Moment::inFlight, seconds);
			panels.add(new Chart.Panel("Messages in flight: " + SinkFigures.words(transfer.mode()),
					SinkFigures.style(transfer.mode()), "area", false, top(inFlight), inFlight));
		}
		Transfer first = transfers.getFirst();
		List<@Nullable Double> window = perSecond(first, Moment::window, seconds);
		panels.add(new Chart.Panel("Window: " + SinkFigures.words(first.mode()), SinkFigures.style(first.mode()),
				"line", false, top(window), window));
		return new Chart.Seconds("In flight when " + SinkFigures.words(setting),
				"Messages in flight, the most in each second, a panel for each way of moving the data, and the window of the first.",
				panels.size() * PANEL_HEIGHT + 50, 620, seconds, panels, List.of());
	}

	private static double top(List<@Nullable Double> values) {
		double top = 1;
		for (Double value : values) {
			top = Math.max(top, (value != null) ? value : 0);
		}
		return top;
	}

	private static int seconds(Transfer transfer) {
		return (int) Math.ceil(Math.max(1, transfer.moments().getLast().seconds()));
	}

	private static List<@Nullable Double> perSecond(Transfer transfer, ToIntFunction<Moment> figure, int seconds) {
		List<@Nullable Double> values = new ArrayList<>();
		for (int second = 0; second < seconds; second++) {
			Double most = null;
			for (Moment moment : transfer.moments()) {
				if ((int) moment.seconds() == second) {
					most = Math.max((most != null) ? most : 0.0, figure.applyAsInt(moment));
				}
			}
			values.add(most);
		}
		return values;
	}

	private static Table table(Setting setting, List<Transfer> transfers) {
		Table table = new Table("In flight and window, second by second, when " + SinkFigures.words(setting), 1,
				List.of("Mode", "second", "most in flight", "widest window"));
		for (Transfer transfer : transfers) {
			int seconds = seconds(transfer);
			List<@Nullable Double> inFlight = perSecond(transfer, Moment::inFlight, seconds);
			List<@Nullable Double> window = perSecond(transfer, Moment::window, seconds);
			for (int second = 0; second < seconds; second++) {
				table.row(SinkFigures.words(transfer.mode()), Figures.count(second),
						Figures.count(inFlight.get(second)), Figures.count(window.get(second)));
			}
		}
		return table;
	}

}
