package dev.sluice.lab.client;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

import dev.sluice.lab.kit.result.ClientResult.Second;

/** Formats a second as one line of aligned columns. */
final class StatusLine {

	private StatusLine() {
	}

	static String of(Instant time, Second second) {
		return String.format(Locale.ROOT,
				"%s  Tot Req %-7d Tot Rsp %-7d Out Req %-6d Cur Q/S %-6d Cur R/S %-6d Cur Lat %-9s Threads %d",
				time.truncatedTo(ChronoUnit.MILLIS), second.sent(), second.answered(), second.outstanding(),
				second.sentNow(), second.answeredNow(),
				(second.latencyMillis() != null) ? Math.round(second.latencyMillis()) + "ms" : "-", second.threads());
	}

}
