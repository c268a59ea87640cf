package dev.sluice.lab.chaos;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.IntToLongFunction;

import dev.sluice.lab.chaos.Answer.Meaning;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.plan.OrderIdentity;

/**
 * Compares the order in which a customer's queued orders were saved with the order in
 * which they were accepted. An order comes before another only if its client had the 202
 * before the other was first sent; the rest may be saved in either order. Repeated
 * deliveries do not count: the first one that was saved does.
 *
 * @param compared number of orders that were sent after another of the same customer was
 * accepted
 * @param overtaking those of them that were saved before one accepted earlier, a line for
 * each: {@code id,overtook an order accepted before,order}
 */
record OrderPerCustomer(int compared, List<String> overtaking) {

	/**
	 * Error of the ledger's times, as both the sending and the answer are truncated to
	 * milliseconds.
	 */
	private static final int CUT_MILLIS = 2;

	public OrderPerCustomer {
		overtaking = List.copyOf(overtaking);
	}

	/**
	 * Compares the orders of each customer.
	 * @param savedMicros when the backend saved an order, by its own clock;
	 * {@link LedgerAudit#NOT_SAVED} if it did not
	 */
	static OrderPerCustomer of(OrderLedger ledger, OrderIdentity identity, IntToLongFunction savedMicros) {
		int compared = 0;
		List<String> overtaking = new ArrayList<>();
		for (int customer = 0; customer < Math.min(identity.customers(), ledger.orders()); customer++) {
			List<Integer> orders = new ArrayList<>();
			for (int order = customer; order < ledger.orders(); order += identity.customers()) {
				if (ledger.mode(order) == Mode.QUEUED && ledger.meaning(order) == Meaning.ACCEPTED
						&& savedMicros.applyAsLong(order) != LedgerAudit.NOT_SAVED) {
					orders.add(order);
				}
			}
			List<Integer> accepted = orders.stream().sorted(Comparator.comparingInt(ledger::acceptedAtMillis)).toList();
			orders.sort(Comparator.comparingInt(ledger::sentAtMillis));
			int before = 0;
			long latest = Long.MIN_VALUE;
			for (int order : orders) {
				while (before < accepted.size()
						&& ledger.acceptedAtMillis(accepted.get(before)) + CUT_MILLIS <= ledger.sentAtMillis(order)) {
					latest = Math.max(latest, savedMicros.applyAsLong(accepted.get(before)));
					before++;
				}
				compared += (before > 0) ? 1 : 0;
				if (latest > savedMicros.applyAsLong(order)) {
					overtaking.add("%s,overtook an order accepted before,%s".formatted(identity.id(order), order));
				}
			}
		}
		return new OrderPerCustomer(compared, overtaking);
	}

}
