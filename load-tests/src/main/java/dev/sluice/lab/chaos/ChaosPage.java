package dev.sluice.lab.chaos;

import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import dev.sluice.lab.chaos.Fault.Kind;
import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.page.Column;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.ChaosResult;
import dev.sluice.lab.kit.result.ChaosResult.Balance;
import dev.sluice.lab.kit.result.ChaosResult.Fault;
import dev.sluice.lab.kit.result.ChaosResult.Second;

/**
 * What {@code lab chaos} shows: the balance of the answers that clients got against the
 * backend's orders, and the run second by second.
 */
public final class ChaosPage {

	/** Each has a colour of its own. */
	private static final List<String> KINDS = Stream.of(Kind.values()).map(Kind::toString).toList();

	private ChaosPage() {
	}

	/** The sections of a report, in the order of the page. */
	public static List<Section> sections(ChaosResult chaos) {
		return List.of(balance(chaos), timeline(chaos));
	}

	private static Section balance(ChaosResult chaos) {
		Section section = new Section("balance", "Was every accepted order saved once?");
		Balance balance = chaos.balance();
		if (balance == null) {
			return section.answers(List.of("Not known: the run ended before the orders could be audited."));
		}
		String faults = Figures.counted(chaos.faults().size(), "fault");
		section.answers(List.of(balance.holds()
				? "Yes: %s orders were accepted during %s, %s saved, %s failed and reported as failed; 0 lost, 0 doubled."
					.formatted(Figures.count(balance.accepted()), faults, Figures.count(balance.saved()),
							Figures.count(balance.failed()))
				: "No: of %s orders accepted during %s, %s were lost, %s doubled, %s saved although refused, %s misnamed."
					.formatted(Figures.count(balance.accepted()), faults, Figures.count(balance.lost()),
							Figures.count(balance.doubled()), Figures.count(balance.refusedButSaved()),
							Figures.count(balance.misnamed()))))
			.shown(table(balance));
		if (!chaos.violations().isEmpty()) {
			section.element("h3", "The first orders that break the balance").list(chaos.violations());
			section.paragraph("violations.csv has all of them, attempts.csv the answers to their clients.");
		}
		section.note(
				"Refused: no attempt can have been accepted, by its answers. In doubt: never accepted, and an answer is missing or does not say whether the order was accepted; a client repeats such an order with its Idempotency-Key. Doubled: orders that the backend has beside those placed, so that one was given two ids. Repeats absorbed: deliveries of an order that the backend had already.");
		return section;
	}

	/** A line of the balance. */
	private record Entry(String what, String part, long orders) {
	}

	private static Table table(Balance balance) {
		List<Entry> entries = List.of(new Entry("Placed", "", balance.placed()),
				new Entry("Accepted", "", balance.accepted()), new Entry("", "answered 201", balance.acceptedSync()),
				new Entry("", "answered 202", balance.acceptedQueued()), new Entry("", "saved", balance.saved()),
				new Entry("", "failed, and a gateway says so", balance.failed()),
				new Entry("", "lost (must be 0)", balance.lost()), new Entry("Refused", "", balance.refused()),
				new Entry("", "saved although refused (must be 0)", balance.refusedButSaved()),
				new Entry("In doubt", "", balance.inDoubt()), new Entry("", "saved", balance.inDoubtSaved()),
				new Entry("Doubled (must be 0)", "", balance.doubled()),
				new Entry("Misnamed (must be 0)", "", balance.misnamed()), new Entry("Repeats absorbed",
						Figures.percent(balance.redeliveredShare()) + " of all deliveries", balance.repeatsAbsorbed()));
		return Table.of("Orders, each counted once by the strongest of its answers", entries,
				List.of(Column.words("What", Entry::what), Column.words("Of which", Entry::part),
						Column.count("orders", Entry::orders)));
	}

	private static Section timeline(ChaosResult chaos) {
		Section section = new Section("timeline", "What clients saw, second by second");
		List<Second> seconds = chaos.seconds();
		if (seconds.isEmpty()) {
			section.paragraph("No order was placed.");
			return section;
		}
		section.paragraph(
				"Each bar above is a fault, from its beginning until what was broken ran again and was ready; its shade goes through all panels. The client retries a failed attempt at the other gateway. Orders are due by the clock, whatever became of those before; the latest was sent %s ms late."
					.formatted(Figures.count(chaos.latestMillis())));
		List<Chart.Panel> panels = Stream
			.of(Chart.Panel.of("Queued orders accepted per second", 1, "area", seconds, Second::acceptedQueued)
				.onAxis("accepted"),
					Chart.Panel.of("Sync orders accepted per second", 0, "area", seconds, Second::acceptedSync)
						.onAxis("accepted"),
					Chart.Panel.of("Queued attempts failed per second", 1, "bars", seconds, Second::failedQueued)
						.onAxis("failed"),
					Chart.Panel.of("Sync attempts failed per second", 0, "bars", seconds, Second::failedSync)
						.onAxis("failed"),
					Chart.Panel.of("Orders saved by the backend per second", 3, "area", seconds, Second::saved))
			.filter((panel) -> panel.values().stream().anyMatch(Objects::nonNull))
			.toList();
		List<Chart.Span> spans = chaos.faults()
			.stream()
			.sorted(Comparator.comparing(Fault::target))
			.map((fault) -> new Chart.Span(fault.target(), fault.kind(), KINDS.indexOf(fault.kind()),
					fault.beganMillis() / 1_000.0, fault.healedMillis() / 1_000.0))
			.toList();
		section.seconds(new Chart.Seconds("Orders and faults, second by second", seconds.size(), panels, spans));
		return section;
	}

}
