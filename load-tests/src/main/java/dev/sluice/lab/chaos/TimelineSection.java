package dev.sluice.lab.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;

import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.ChaosResult;
import dev.sluice.lab.kit.result.ChaosResult.Fault;
import dev.sluice.lab.kit.result.ChaosResult.Second;
import dev.sluice.lab.kit.result.RunResult;
import org.jspecify.annotations.Nullable;

/** The whole run second by second, with the faults above it. */
final class TimelineSection extends Section {

	private final ChaosResult chaos;

	private static final int PANEL_HEIGHT = 128;

	private static final int LANE_HEIGHT = 20;

	TimelineSection(ChaosResult chaos) {
		super("timeline", "What clients saw, second by second");
		this.chaos = chaos;
	}

	@Override
	public void write(RunResult run, Html html) {
		if (this.chaos.seconds().isEmpty()) {
			html.element("p", "No order was placed.");
			return;
		}
		html.element("p",
				"Each bar above is a fault, from its beginning until what was broken ran again and was ready; its shade goes through all panels. The client retries a failed attempt at the other gateway. What the backend saved while it did not answer is counted in the second in which it did.");
		html.chart(chart(this.chaos), table(this.chaos));
	}

	private static Chart chart(ChaosResult chaos) {
		List<Second> seconds = chaos.seconds();
		double accepted = Math.max(top(seconds, (s) -> (double) s.acceptedQueued()),
				top(seconds, (s) -> (double) s.acceptedSync()));
		double failed = Math.max(top(seconds, (s) -> (double) s.failedQueued()),
				top(seconds, (s) -> (double) s.failedSync()));
		List<Chart.Panel> panels = Stream.of(
				panel("Queued orders accepted per second", 1, "area", accepted, seconds,
						(s) -> (double) s.acceptedQueued()),
				panel("Sync orders accepted per second", 0, "area", accepted, seconds,
						(s) -> (double) s.acceptedSync()),
				panel("Queued attempts failed per second", 1, "bars", failed, seconds,
						(s) -> (double) s.failedQueued()),
				panel("Sync attempts failed per second", 0, "bars", failed, seconds, (s) -> (double) s.failedSync()),
				panel("Orders saved by the backend per second", 3, "area", top(seconds, TimelineSection::saved),
						seconds, TimelineSection::saved))
			.filter((panel) -> panel.values().stream().anyMatch(Objects::nonNull))
			.toList();
		List<Chart.Span> spans = spans(chaos);
		long lanes = spans.stream().map(Chart.Span::lane).distinct().count();
		return new Chart.Seconds("Orders and faults",
				"Orders accepted by mode, failed attempts by mode, orders saved, "
						+ "second by second, and the faults on the same axis.",
				(int) (panels.size() * PANEL_HEIGHT + lanes * LANE_HEIGHT + 50), 860, seconds.size(), panels, spans);
	}

	private static List<Chart.Span> spans(ChaosResult chaos) {
		Set<String> targets = new TreeSet<>(chaos.faults().stream().map(Fault::target).toList());
		List<Chart.Span> spans = new ArrayList<>();
		for (String target : targets) {
			for (Fault fault : chaos.faults()) {
				if (fault.target().equals(target)) {
					spans.add(new Chart.Span(target, fault.kind(), style(fault.kind()), fault.beganMillis() / 1_000.0,
							fault.healedMillis() / 1_000.0));
				}
			}
		}
		return spans;
	}

	/** A colour for each kind of fault. */
	private static int style(String kind) {
		return switch (kind) {
			case "kill" -> 0;
			case "freeze" -> 1;
			case "restart" -> 3;
			default -> 2;
		};
	}

	private static Chart.Panel panel(String name, int style, String form, double max, List<Second> seconds,
			Function<Second, @Nullable Double> figure) {
		List<@Nullable Double> values = new ArrayList<>();
		seconds.forEach((second) -> values.add(figure.apply(second)));
		return new Chart.Panel(name, style, form, false, max, values);
	}

	private static double top(List<Second> seconds, Function<Second, @Nullable Double> figure) {
		double top = 1;
		for (Second second : seconds) {
			Double value = figure.apply(second);
			top = Math.max(top, (value != null) ? value : 0);
		}
		return top;
	}

	private static @Nullable Double saved(Second second) {
		Integer saved = second.saved();
		return (saved != null) ? saved.doubleValue() : null;
	}

	private static Table table(ChaosResult chaos) {
		Table table = new Table("Second by second", 0,
				List.of("Second", "sync accepted", "queued accepted", "sync failed", "queued failed", "saved"));
		chaos.seconds()
			.forEach((s) -> table.row(Figures.count(s.second()), Figures.count(s.acceptedSync()),
					Figures.count(s.acceptedQueued()), Figures.count(s.failedSync()), Figures.count(s.failedQueued()),
					Figures.count(s.saved())));
		return table;
	}

}
