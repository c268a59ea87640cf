package dev.sluice.lab.chaos;

import java.util.List;

import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.ChaosResult;
import dev.sluice.lab.kit.result.ChaosResult.Balance;
import dev.sluice.lab.kit.result.ChaosResult.CustomerOrder;
import dev.sluice.lab.kit.result.RunResult;
import org.jspecify.annotations.Nullable;

/** The balance sheet: the answers that clients got against the backend's orders. */
final class BalanceSection extends Section {

	private final ChaosResult chaos;

	BalanceSection(ChaosResult chaos) {
		super("balance", "Was every accepted order saved once?");
		this.chaos = chaos;
	}

	@Override
	public List<String> answers(RunResult run) {
		Balance balance = this.chaos.balance();
		if (balance == null) {
			return List.of("Not known: the run ended before the orders could be audited.");
		}
		CustomerOrder order = this.chaos.customerOrder();
		return (order != null) ? List.of(answer(this.chaos, balance), answer(order))
				: List.of(answer(this.chaos, balance));
	}

	@Override
	public void write(RunResult run, Html html) {
		html.element("p", answers(run).getFirst(), "class", "answer");
		Balance balance = this.chaos.balance();
		if (balance == null) {
			return;
		}
		table(balance, this.chaos.customerOrder()).write(html);
		if (!this.chaos.violations().isEmpty()) {
			html.element("h3", "The first orders that break the balance");
			html.list(this.chaos.violations());
			html.element("p", "violations.csv has all of them, attempts.csv the answers to their clients.");
		}
		CustomerOrder order = this.chaos.customerOrder();
		if (order != null) {
			html.element("p", answer(order));
		}
		html.element("p",
				"Refused: no attempt can have been accepted, by its answers. In doubt: never accepted, and an answer is missing or does not say whether the order was accepted; a client repeats such an order with its Idempotency-Key. Doubled: orders that the backend has beside those placed, so that one was given two ids. Repeats absorbed: deliveries of an order that the backend had already.",
				"class", "note");
	}

	private static String answer(ChaosResult chaos, Balance balance) {
		if (balance.holds()) {
			return "Yes: %s orders were accepted during %s, %s saved, %s failed and reported as failed; 0 lost, 0 doubled."
				.formatted(Figures.count(balance.accepted()), Figures.counted(chaos.faults().size(), "fault"),
						Figures.count(balance.saved()), Figures.count(balance.failed()));
		}
		return "No: of %s orders accepted during %s, %s were lost, %s doubled, %s saved although refused, %s misnamed."
			.formatted(Figures.count(balance.accepted()), Figures.counted(chaos.faults().size(), "fault"),
					Figures.count(balance.lost()), Figures.count(balance.doubled()),
					Figures.count(balance.refusedButSaved()), Figures.count(balance.misnamed()));
	}

	private static String answer(CustomerOrder order) {
		String promise = order.promised() ? "delivery.ordering=key promises the order per customer: "
				: "No order per customer is promised (delivery.ordering=none): ";
		return "%s%s of %s orders that were sent after one of the same customer was accepted, with %s customers and %s consumers, were saved before it."
			.formatted(promise, Figures.count(order.inversions()), Figures.count(order.compared()),
					Figures.count(order.customers()), Figures.count(order.consumers()));
	}

	private static Table table(Balance balance, @Nullable CustomerOrder order) {
		Table table = new Table("Orders, each counted once by the strongest of its answers", 2,
				List.of("What", "Of which", "orders"));
		table.row("Placed", "", Figures.count(balance.placed()));
		table.row("Accepted", "", Figures.count(balance.accepted()));
		table.row("", "answered 201", Figures.count(balance.acceptedSync()));
		table.row("", "answered 202", Figures.count(balance.acceptedQueued()));
		table.row("", "saved", Figures.count(balance.saved()));
		table.row("", "failed, and a gateway says so", Figures.count(balance.failed()));
		table.row("", "lost (must be 0)", Figures.count(balance.lost()));
		table.row("Refused", "", Figures.count(balance.refused()));
		table.row("", "saved although refused (must be 0)", Figures.count(balance.refusedButSaved()));
		table.row("In doubt", "", Figures.count(balance.inDoubt()));
		table.row("", "saved", Figures.count(balance.inDoubtSaved()));
		table.row("Doubled (must be 0)", "", Figures.count(balance.doubled()));
		table.row("Misnamed (must be 0)", "", Figures.count(balance.misnamed()));
		if (order != null) {
			table.row("Sent after one of the same customer was accepted", "", Figures.count(order.compared()));
			table.row("", "saved before it" + (order.promised() ? " (must be 0)" : ""),
					Figures.count(order.inversions()));
		}
		table.row("Repeats absorbed", Figures.percent(balance.redeliveredShare()) + " of all deliveries",
				Figures.count(balance.repeatsAbsorbed()));
		return table;
	}

}
