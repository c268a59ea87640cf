package dev.sluice.lab.order;

import java.io.PrintWriter;
import java.net.URI;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.sluice.lab.kit.stack.Interruption;
import dev.sluice.lab.kit.stack.LabException;
import dev.sluice.lab.order.Redelivery.End;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code lab redeliver}. */
@Command(name = "redeliver", mixinStandardHelpOptions = true, sortOptions = false,
		description = "Queues failed orders again: all of them, or by reason or time.",
		footer = { "", "Exit code: 0 all chosen orders are queued again, 1 some are still failed, 2 wrong usage." })
public final class Redeliver implements Callable<Integer> {

	private static final Pattern AGO = Pattern.compile("\\d{1,6}[smhd]");

	@Spec
	@SuppressWarnings("NullAway.Init") // picocli sets it before it calls.
	private CommandSpec spec;

	@Option(names = "--gateway", paramLabel = "URI", defaultValue = "http://127.0.0.1:8080",
			description = "The gateway. Default: ${DEFAULT-VALUE}; the reactive one is at port 8081.")
	private URI gateway = URI.create("http://127.0.0.1:8080");

	@Option(names = "--reason", paramLabel = "TEXT",
			description = "Part of the reason, ignoring case. Default: any reason.")
	private @Nullable String reason;

	@Option(names = "--since", paramLabel = "WHEN",
			description = "Time since which an order failed, such as 2026-11-21T09:00:00Z, or an age, such as 90s, 30m, 12h, 7d. Default: any time.")
	private @Nullable String since;

	@Option(names = "--dry-run", description = "Lists the orders and sends nothing.")
	private boolean dryRun;

	@Override
	public Integer call() {
		if (this.gateway.getHost() == null || !List.of("http", "https").contains(this.gateway.getScheme())) {
			throw usage(
					"--gateway: '%s' is not an HTTP address, such as http://127.0.0.1:8080".formatted(this.gateway));
		}
		Redelivery.Choice choice = new Redelivery.Choice(this.reason, (this.since != null) ? time(this.since) : null);
		PrintWriter out = this.spec.commandLine().getOut();
		try (Interruption _ = new Interruption(); Redelivery redelivery = new Redelivery(this.gateway)) {
			Map<End, Integer> tally = redelivery.run(choice, this.dryRun, (order) -> {
				if (this.dryRun) {
					out.println("%s  %s".formatted(order.id(), order.why()));
				}
				else if (order.end() != End.TAKEN) {
					out.println("%s  left: %s".formatted(order.id(), order.answer()));
				}
			});
			int taken = tally.getOrDefault(End.TAKEN, 0);
			int refused = tally.getOrDefault(End.REFUSED, 0);
			int unavailable = tally.getOrDefault(End.UNAVAILABLE, 0);
			out.println(this.dryRun ? "%s failed orders would be delivered again".formatted(taken)
					: "%s failed orders: %s queued again, %s refused, %s unavailable"
						.formatted(taken + refused + unavailable, taken, refused, unavailable));
			out.flush();
			return (refused + unavailable == 0) ? 0 : 1;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new LabException("Interrupted; orders that are not listed are unchanged", ex);
		}
	}

	private Instant time(String text) {
		try {
			Matcher ago = AGO.matcher(text);
			// Java writes an age of days as P1D and a shorter one as PT1H.
			return ago.matches()
					? Instant.now()
						.minus(Duration.parse((text.endsWith("d") ? "P" : "PT") + text.toUpperCase(Locale.ROOT)))
					: Instant.parse(text);
		}
		catch (DateTimeException ex) {
			throw usage("--since: '%s' is not a time such as 2026-11-21T09:00:00Z or 30m".formatted(text));
		}
	}

	private ParameterException usage(String message) {
		return new ParameterException(this.spec.commandLine(), message);
	}

}
