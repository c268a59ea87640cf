package dev.sluice.lab.drain;

import java.util.List;
import java.util.Locale;

import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.result.DrainResult;

/** What {@code lab drain} shows: the rate of the consumer alone. */
public final class DrainPage {

	private DrainPage() {
	}

	/** The sections of a report, in the order of the page. */
	public static List<Section> sections(DrainResult drain) {
		return List
			.of(new Section("drain", "How fast does the consumer alone deliver?", List.of(answer(drain)), (_) -> {
			}));
	}

	private static String answer(DrainResult drain) {
		return String.format(Locale.ROOT,
				"%,.0f orders/s while %,d were delivered (%.1f s): %.1f %% of the %,.0f/s that %s at once and %s ms allow",
				drain.perSecond(), drain.counted(), drain.seconds(), drain.share() * 100, drain.idealPerSecond(),
				drain.deliveryConcurrency(), drain.delayMillis());
	}

}
