package dev.sluice.lab.compare;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

import dev.sluice.lab.compare.page.Cost;
import dev.sluice.lab.kit.cell.Cell;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.CellResult.ServiceCost;
import dev.sluice.lab.kit.cell.CellResult.Wait;
import dev.sluice.lab.kit.cell.Timing;
import dev.sluice.lab.kit.client.CallMode;
import dev.sluice.lab.kit.client.Caller;
import dev.sluice.lab.kit.client.OpenClient;
import dev.sluice.lab.kit.client.OpenClient.Figures;
import dev.sluice.lab.kit.deployed.Target;
import dev.sluice.lab.kit.deployed.TargetSystem;
import dev.sluice.lab.kit.deployed.TargetSystem.Spent;
import dev.sluice.lab.kit.measure.Exposition;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.result.ClientResult.Tally;
import dev.sluice.lab.kit.run.Progress;
import dev.sluice.lab.kit.stack.LabException;
import org.jspecify.annotations.Nullable;

/**
 * Measures the gateways of a {@link Target} in both modes, at rates that the user allows,
 * in an open model. Starts, resets and configures nothing. The number of orders saved
 * comes from the consumer's metrics, the cost of an order from the services' CPU metrics.
 * Figures that no metric provides are left out, not zero.
 *
 * @param length length of a cell, and of the warm-up of each gateway and mode before the
 * first one, at the lowest rate
 */
record TargetComparison(Target target, Duration length, Progress progress) {

	/** Name of the target's backend in the results. */
	static final String BACKEND = "deployed";

	private static final String SAVED = "sluice_accept_to_saved_seconds_count";

	private static final Duration PATIENCE = Duration.ofSeconds(5);

	private static final Duration DRAIN = Duration.ofSeconds(30);

	/** Maximum number of outstanding requests, in seconds of the rate. */
	private static final int OUTSTANDING_SECONDS = 5;

	private static final int MIN_OUTSTANDING = 100;

	/**
	 * Measures cells.
	 * @param results gets those that can be evaluated
	 */
	void measure(List<Cell> cells, Consumer<CellResult> results) throws InterruptedException {
		try (TargetSystem system = new TargetSystem(this.target);
				Caller client = new Caller(CallMode.ASYNC, null, system.tls())) {
			warmUp(cells, system, client);
			for (Cell cell : cells) {
				this.progress.step("cell %s of %s: %s".formatted(cells.indexOf(cell) + 1, cells.size(), cell));
				measure(cell, system, client, results);
			}
		}
	}

	/** Also checks that each gateway accepts orders, and thus the lab's credentials. */
	private void warmUp(List<Cell> cells, TargetSystem system, Caller client) throws InterruptedException {
		int least = cells.stream().mapToInt((cell) -> cell.load().size()).min().orElseThrow();
		for (Map.Entry<String, URI> gateway : this.target.gateways().entrySet()) {
			for (String mode : cells.stream().map(Cell::mode).distinct().toList()) {
				this.progress.step("Warming up %s %s at %s/s".formatted(gateway.getKey(), mode, least));
				Tally tally = OpenClient
					.run(load(least, this.length),
							client.sending(system.orders(gateway.getValue(), Mode.of(mode), "compare")))
					.tally();
				if (tally.succeeded() <= 0) {
					throw new LabException("%s (%s) accepts no order: %s".formatted(gateway.getKey(),
							gateway.getValue(), tally.failures()));
				}
			}
		}
	}

	private void measure(Cell cell, TargetSystem system, Caller client, Consumer<CellResult> results)
			throws InterruptedException {
		Mode mode = Mode.of(cell.mode());
		Map<String, Exposition> before = system.read();
		Instant start = Instant.now();
		URI gateway = Objects.requireNonNull(this.target.gateways().get(cell.variant()));
		Figures figures = OpenClient.run(load(cell.load().size(), this.length),
				client.sending(system.orders(gateway, mode, "compare")));
		Instant answered = Instant.now();
		long accepted = figures.tally().succeeded();
		Map<String, Exposition> after = system.read();
		Instant end = answered;
		Double saved = switch (mode) {
			case SYNC -> Double.valueOf(accepted);
			case QUEUED -> new Spent(before, after).grown(Target.CONSUMER, SAVED);
		};
		long deadline = System.nanoTime() + DRAIN.toNanos();
		while (mode == Mode.QUEUED && saved != null && saved < accepted && System.nanoTime() - deadline < 0) {
			after = system.read();
			end = Instant.now();
			saved = new Spent(before, after).grown(Target.CONSUMER, SAVED);
		}
		if (saved == null) {
			this.progress.step("%s is left out, as what was saved cannot be seen: %s".formatted(cell,
					Objects.requireNonNullElse(system.failures().get(Target.CONSUMER),
							"the target names no metrics of its consumer, or it was restarted")));
			return;
		}
		results.accept(result(cell, figures, Math.round(saved), new Spent(before, after), start, end));
	}

	private CellResult result(Cell cell, Figures figures, long saved, Spent spent, Instant start, Instant end) {
		Tally tally = figures.tally();
		long accepted = tally.succeeded();
		double seconds = Duration.between(start, end).toNanos() / 1e9;
		Map<String, ServiceCost> costs = new LinkedHashMap<>();
		if (saved > 0) {
			spent.perOrder(saved)
				.forEach((service, cost) -> costs.put(service.equals(cell.variant()) ? Cost.GATEWAY : service, cost));
			this.target.gateways().keySet().forEach(costs::remove);
		}
		Timing latency = figures.latency();
		Wait toAccepted = wait(tally, accepted, latency);
		List<String> problems = new ArrayList<>();
		if (saved != accepted) {
			problems.add("%s orders were accepted and %s counted as saved%s".formatted(accepted, saved,
					(saved > accepted) ? ": others place orders too" : ""));
		}
		if (tally.notSent() > 0) {
			problems.add("%s requests not sent, as too many were outstanding".formatted(tally.notSent()));
		}
		return new CellResult(cell, start, end, tally.sent(), tally.sent() - accepted, tally.failures(), accepted,
				saved, saved / seconds, accepted / (this.length.toMillis() / 1_000.0), latency, toAccepted,
				Mode.of(cell.mode()) == Mode.SYNC ? toAccepted : null, costs, null, null, null,
				(int) Math.round(figures.lag().p99AtMost()), problems.isEmpty() ? null : String.join("; ", problems),
				null);
	}

	/**
	 * The clients' waits; null unless all orders were accepted, because the wait for the
	 * others is unknown.
	 */
	private static @Nullable Wait wait(Tally tally, long accepted, @Nullable Timing latency) {
		if (latency == null || accepted < tally.due()) {
			return null;
		}
		return new Wait(accepted, 0, latency.p50(), latency.p95(), latency.p99());
	}

	private static OpenClient.OpenLoad load(int rate, Duration length) {
		return new OpenClient.OpenLoad(rate, length, PATIENCE, Math.max(MIN_OUTSTANDING, rate * OUTSTANDING_SECONDS));
	}

}
