package dev.sluice.lab.order;

import java.io.PrintWriter;
import java.net.URI;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.sluice.contract.OrderView;
import dev.sluice.lab.kit.stack.Interruption;
import dev.sluice.lab.kit.stack.LabException;
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
		Instant from = (this.since != null) ? time(this.since) : null;
		PrintWriter out = this.spec.commandLine().getOut();
		try (Interruption _ = new Interruption(); Redelivery redelivery = new Redelivery(this.gateway)) {
			List<OrderView> chosen = redelivery.failed().stream().filter((order) -> isChosen(order, from)).toList();
			int left = 0;
			for (OrderView order : chosen) {
				String answer = this.dryRun ? null : redelivery.redeliver(order.id());
				if (this.dryRun) {
					out.println("%s  %s".formatted(order.id(), order.reason()));
				}
				else if (answer != null) {
					left++;
					out.println("%s  left: %s".formatted(order.id(), answer));
				}
			}
			out.println(this.dryRun ? "%s failed orders would be delivered again".formatted(chosen.size())
					: "%s failed orders: %s queued again, %s refused".formatted(chosen.size(), chosen.size() - left,
							left));
			out.flush();
			return (left == 0) ? 0 : 1;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new LabException("Interrupted; orders that are not listed are unchanged", ex);
		}
	}

	private boolean isChosen(OrderView order, @Nullable Instant from) {
		String why = Objects.requireNonNullElse(order.reason(), "").toLowerCase(Locale.ROOT);
		Instant failedAt = order.updatedAt();
		return (this.reason == null || why.contains(this.reason.toLowerCase(Locale.ROOT)))
				&& (from == null || failedAt == null || !failedAt.isBefore(from));
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
