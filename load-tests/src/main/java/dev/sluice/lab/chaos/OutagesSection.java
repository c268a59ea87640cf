package dev.sluice.lab.chaos;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;

import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.ChaosResult;
import dev.sluice.lab.kit.result.ChaosResult.Fault;
import dev.sluice.lab.kit.result.RunResult;
import org.jspecify.annotations.Nullable;

/** The longest time without an accepted order, by fault. */
final class OutagesSection extends Section {

	private final ChaosResult chaos;

	OutagesSection(ChaosResult chaos) {
		super("outages", "How long was nothing accepted?");
		this.chaos = chaos;
	}

	@Override
	public void write(RunResult run, Html html) {
		if (this.chaos.faults().isEmpty()) {
			html.element("p", "Nothing was broken.");
			return;
		}
		html.element("p",
				"The longest time without an accepted order, from the fault's beginning until the first order accepted after its end. Faults that overlap share it. Sync orders are %s of the %s due each second: without any fault their gaps are longer."
					.formatted(Figures.percent(this.chaos.syncShare()), Figures.measured(this.chaos.ratePerSecond())));
		Map<List<String>, List<Fault>> groups = this.chaos.faults()
			.stream()
			.sorted(Comparator.comparing(Fault::target).thenComparing(Fault::kind))
			.collect(Collectors.groupingBy((fault) -> List.of(fault.target(), fault.kind()), LinkedHashMap::new,
					Collectors.toList()));
		Table table = new Table("Longest time without an accepted order, in seconds", 2,
				List.of("What", "how", "faults", "sync", "queued", "longest fault"));
		groups.forEach((group, faults) -> table.row(group.getFirst(), group.getLast(), Figures.count(faults.size()),
				longest(faults, Fault::syncGapMillis), longest(faults, Fault::queuedGapMillis),
				longest(faults, (fault) -> fault.healedMillis() - fault.beganMillis())));
		table.write(html);
		html.details("Each fault", each(this.chaos));
	}

	private static Table each(ChaosResult chaos) {
		Table table = new Table("Faults in the order they began, times in seconds since the load began", 2,
				List.of("What", "how", "began", "healed", "sync", "queued"));
		chaos.faults()
			.forEach((fault) -> table.row(fault.target(), fault.kind(), seconds(fault.beganMillis()),
					seconds(fault.healedMillis()), seconds(fault.syncGapMillis()), seconds(fault.queuedGapMillis())));
		return table;
	}

	private static String longest(List<Fault> faults, Function<Fault, @Nullable Long> millis) {
		return seconds(
				faults.stream().map(millis).filter(Objects::nonNull).max(Comparator.naturalOrder()).orElse(null));
	}

	private static String seconds(@Nullable Long millis) {
		return Figures.measured((millis != null) ? millis / 1_000.0 : null);
	}

}
