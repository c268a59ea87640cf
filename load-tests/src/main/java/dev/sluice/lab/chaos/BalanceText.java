package dev.sluice.lab.chaos;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;

import dev.sluice.lab.kit.result.ChaosResult;
import dev.sluice.lab.kit.result.ChaosResult.Balance;
import dev.sluice.lab.kit.result.ChaosResult.CustomerOrder;
import dev.sluice.lab.kit.result.ChaosResult.Fault;
import org.jspecify.annotations.Nullable;

/** The balance sheet and the longest outages as text of 100 columns. */
final class BalanceText {

	private BalanceText() {
	}

	static String of(ChaosResult chaos, Balance balance) {
		StringBuilder text = new StringBuilder();
		line(text, "Orders placed", balance.placed(), "%,d attempts".formatted(balance.attempts()));
		line(text, "  accepted", balance.accepted(),
				"%,d sync, %,d queued".formatted(balance.acceptedSync(), balance.acceptedQueued()));
		line(text, "    saved", balance.saved(), "");
		line(text, "    failed, and reported", balance.failed(), "");
		line(text, "    LOST", balance.lost(), "must be 0");
		line(text, "  refused", balance.refused(), "");
		line(text, "    SAVED THOUGH REFUSED", balance.refusedButSaved(), "must be 0");
		line(text, "  in doubt", balance.inDoubt(), "%,d of them saved".formatted(balance.inDoubtSaved()));
		line(text, "Orders DOUBLED", balance.doubled(), "must be 0");
		line(text, "Orders MISNAMED", balance.misnamed(), "must be 0");
		CustomerOrder order = chaos.customerOrder();
		if (order != null) {
			line(text, order.promised() ? "Orders that OVERTOOK" : "Orders that overtook", order.inversions(),
					"%sof %,d sent after one of the same customer was accepted"
						.formatted(order.promised() ? "must be 0; " : "", order.compared()));
		}
		line(text, "Repeats absorbed", balance.repeatsAbsorbed(),
				String.format(Locale.ROOT, "%.2f %% of all deliveries", balance.redeliveredShare() * 100));
		chaos.violations().forEach((violation) -> text.append(violation).append(System.lineSeparator()));
		text.append("%nLongest time without an accepted order, in seconds%n".formatted());
		text.append("%-34s %6s %8s %8s%n".formatted("", "faults", "sync", "queued"));
		chaos.faults()
			.stream()
			.sorted(Comparator.comparing(Fault::target).thenComparing(Fault::kind))
			.collect(Collectors.groupingBy((fault) -> fault.target() + ", " + fault.kind(), LinkedHashMap::new,
					Collectors.toList()))
			.forEach((label, faults) -> text.append("%-34s %6d %8s %8s%n".formatted(label, faults.size(),
					longest(faults, Fault::syncGapMillis), longest(faults, Fault::queuedGapMillis))));
		return text.toString();
	}

	private static void line(StringBuilder text, String what, long count, String note) {
		text.append("%-26s %,12d   %s".formatted(what, count, note).stripTrailing()).append(System.lineSeparator());
	}

	private static String longest(List<Fault> faults, Function<Fault, @Nullable Long> gap) {
		return faults.stream()
			.map(gap)
			.filter(Objects::nonNull)
			.max(Comparator.naturalOrder())
			.map((millis) -> String.format(Locale.ROOT, "%.1f", millis / 1_000.0))
			.orElse("-");
	}

}
