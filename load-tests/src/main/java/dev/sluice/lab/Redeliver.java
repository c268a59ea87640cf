package dev.sluice.lab;

import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.sluice.contract.OrderPage;
import dev.sluice.contract.OrderView;
import dev.sluice.lab.kit.stack.Interruption;
import dev.sluice.lab.kit.stack.LabException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code lab redeliver}. */
@Command(name = "redeliver", description = "Queues failed orders again: all of them, or by reason or time.",
		footer = { "", "Exit code: 0 all chosen orders are queued again, 1 some are still failed, 2 wrong usage." })
public final class Redeliver extends GatewayCommand {

	private static final int PAGE = 500;

	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	private static final int ACCEPTED = 202;

	private static final Pattern AGO = Pattern.compile("\\d{1,6}[smhd]");

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
		Instant from = (this.since != null) ? time(this.since) : null;
		try (Interruption _ = new Interruption()) {
			List<OrderView> chosen = failed().stream().filter((order) -> isChosen(order, from)).toList();
			int left = 0;
			for (OrderView order : chosen) {
				String answer = this.dryRun ? null : redeliver(order.id());
				if (this.dryRun) {
					say("%s  %s".formatted(order.id(), order.reason()));
				}
				else if (answer != null) {
					left++;
					say("%s  left: %s".formatted(order.id(), answer));
				}
			}
			say(this.dryRun ? "%s failed orders would be delivered again".formatted(chosen.size())
					: "%s failed orders: %s queued again, %s refused".formatted(chosen.size(), chosen.size() - left,
							left));
			return (left == 0) ? 0 : 1;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new LabException("Interrupted; orders that are not listed are unchanged", ex);
		}
	}

	/**
	 * All failed orders, the earliest first, before the first is sent again: one that
	 * fails again would be listed after the others. That takes some 300 bytes of memory
	 * for each.
	 */
	private List<OrderView> failed() throws InterruptedException {
		List<OrderView> failed = new ArrayList<>();
		String after = "";
		while (after != null) {
			HttpResponse<String> answer = send(request("/orders?status=failed&limit=" + PAGE + after, TIMEOUT));
			if (answer.statusCode() != OK) {
				throw new LabException("The gateway cannot list the failed orders: " + words(answer));
			}
			OrderPage page = read(answer, OrderPage.class);
			failed.addAll(page.orders());
			after = (page.next() != null) ? "&after=" + page.next() : null;
		}
		return failed;
	}

	/**
	 * Sends an order again.
	 * @return null if it is queued; else the gateway's answer
	 * @throws LabException if the gateway accepts no orders at the moment
	 */
	private @Nullable String redeliver(UUID id) throws InterruptedException {
		HttpResponse<String> answer = send(
				request("/orders/%s/redelivery".formatted(id), TIMEOUT).POST(BodyPublishers.noBody()));
		if (answer.statusCode() / 100 != 2 && answer.statusCode() / 100 != 4) {
			throw new LabException(
					"The gateway accepts no more: %s. Run it again later; what it has accepted is no longer listed"
						.formatted(words(answer)));
		}
		return (answer.statusCode() == ACCEPTED) ? null : words(answer);
	}

	private static String words(HttpResponse<String> answer) {
		return answer.statusCode() + " " + answer.body();
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

}
