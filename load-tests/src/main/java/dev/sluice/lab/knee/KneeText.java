package dev.sluice.lab.knee;

import java.util.Locale;

import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.result.KneeResult;
import dev.sluice.lab.kit.result.KneeResult.Knee;
import dev.sluice.lab.kit.result.KneeResult.Step;
import org.jspecify.annotations.Nullable;

/** The rates that held, as text of 100 columns. */
final class KneeText {

	private KneeText() {
	}

	static String of(KneeResult result) {
		StringBuilder text = new StringBuilder();
		text.append("%-35s %8s %8s %7s %9s   %s%n".formatted("Orders per second", "held", "did not", "p99 ms",
				"saved-p99", "what was missed"));
		for (Knee knee : result.knees()) {
			Step held = knee.sustained();
			text.append(
					"%-35s %8s %8s %7s %9s   %s%n".formatted(Reliability.sign(knee.name(), KneeSection.marked(knee)),
							number(knee.sustainedPerSecond()), number(knee.failedPerSecond()),
							number((held != null && held.latency() != null) ? held.latency().p99() : null),
							number((held != null) ? held.savedP99Millis() : null), missed(knee)));
		}
		return text.append("Goal: %s.%nBackend: %s.%n".formatted(result.goal(), result.backend())).toString();
	}

	private static String missed(Knee knee) {
		Step failed = knee.failed();
		if (failed == null) {
			return (knee.sustainedPerSecond() != null) ? "no greater rate was missed twice" : "";
		}
		return failed.missed() + (knee.cutShort() ? "; the time was up" : "");
	}

	private static String number(@Nullable Double value) {
		return (value != null) ? String.format(Locale.ROOT, "%,.0f", value) : "-";
	}

}
