package dev.sluice.lab.order;

import java.io.PrintWriter;
import java.net.URI;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.sluice.lab.kit.stack.Interruption;
import dev.sluice.lab.kit.stack.LabException;
import dev.sluice.lab.order.Redelivery.End;
import dev.sluice.lab.order.Redelivery.Tally;
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

	private static final double MAX_RATE = 10_000;

	private static final Pattern AGO = Pattern.compile("(\\d{1,6})([smhd])");

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

	@Option(names = "--rate", paramLabel = "R", defaultValue = "100",
			description = "Maximum number of orders per second. Default: ${DEFAULT-VALUE}.")
	private double rate = 100;

	@Option(names = "--dry-run", description = "Lists the orders and sends nothing.")
	private boolean dryRun;

	@Override
	public Integer call() {
		if (this.gateway.getHost() == null || !List.of("http", "https").contains(this.gateway.getScheme())) {
			throw usage(
					"--gateway: '%s' is not an HTTP address, such as http://127.0.0.1:8080".formatted(this.gateway));
		}
		if (!(this.rate > 0 && this.rate <= MAX_RATE)) {
			throw usage("--rate must be above 0 and at most 10,000");
		}
		Redelivery.Choice choice = new Redelivery.Choice(this.reason, (this.since != null) ? time(this.since) : null);
		PrintWriter out = this.spec.commandLine().getOut();
		try (Interruption _ = new Interruption(); Redelivery redelivery = new Redelivery(this.gateway, this.rate)) {
			Tally tally = this.dryRun
					? redelivery.list(choice, (order) -> out.println("%s  %s".formatted(order.id(), order.why())))
					: redelivery.run(choice, (order) -> printIfNotQueued(out, order));
			out.println(this.dryRun ? "%s failed orders would be delivered again".formatted(tally.taken())
					: "%s failed orders: %s queued again, %s refused, %s unavailable"
						.formatted(tally.taken() + tally.left(), tally.taken(), tally.refused(), tally.unavailable()));
			out.flush();
			return (tally.left() == 0) ? 0 : 1;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new LabException("Interrupted; orders that are not listed are unchanged", ex);
		}
	}

	private static void printIfNotQueued(PrintWriter out, Redelivery.Redelivered order) {
		if (order.end() != End.TAKEN) {
			out.println("%s  left: %s".formatted(order.id(), order.answer()));
		}
	}

	private Instant time(String text) {
		try {
			Matcher ago = AGO.matcher(text);
			return ago.matches() ? Instant.now().minus(length(Long.parseLong(ago.group(1)), ago.group(2)))
					: Instant.parse(text);
		}
		catch (DateTimeException ex) {
			throw usage("--since: '%s' is not a time such as 2026-11-21T09:00:00Z or 30m".formatted(text));
		}
	}

	private static Duration length(long count, String unit) {
		return switch (unit) {
			case "s" -> Duration.ofSeconds(count);
			case "m" -> Duration.ofMinutes(count);
			case "h" -> Duration.ofHours(count);
			default -> Duration.ofDays(count);
		};
	}

	private ParameterException usage(String message) {
		return new ParameterException(this.spec.commandLine(), message);
	}

}
