package dev.sluice.lab.chaos;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

import dev.sluice.devservices.DevServices;
import dev.sluice.devservices.Patience;
import dev.sluice.lab.kit.plan.OrderIdentity;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.measure.SavedSampler;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.result.ChaosResult.CustomerOrder;
import dev.sluice.lab.kit.result.ChaosResult;
import dev.sluice.lab.kit.run.Progress;
import dev.sluice.lab.kit.run.RunDirectory;
import dev.sluice.lab.kit.stack.LabException;
import dev.sluice.lab.chaos.OrderDriver.Gateway;
import org.jspecify.annotations.Nullable;

/**
 * Places orders at a steady rate while faults happen. Then everything is mended, orders
 * under way arrive, and the answers that clients got are compared with what the backend
 * has. Keeps its findings, also if it ends early. Not thread-safe.
 */
final class Trial {

	/** File in the run's directory with all orders that break the balance. */
	static final String VIOLATIONS = "violations.csv";

	/**
	 * Maximum time from the end of the load until all faults are over, in start timeouts.
	 * Each fault has a deadline of its own; several may still have to happen one after
	 * another.
	 */
	private static final int HEAL_STARTS = 3;

	/** Between two faults of the same victim, so that its recovery shows. */
	private static final long REST_MILLIS = 5_000;

	private static final int MAX_VIOLATIONS = 20;

	private final Workload load;

	private final RunDirectory directory;

	private final Progress progress;

	private @Nullable OrderLedger ledger;

	private LedgerAudit.@Nullable Audited audited;

	private List<FaultInjector.Done> faults = List.of();

	private List<@Nullable Integer> saved = List.of();

	private long latestMillis;

	/**
	 * The orders.
	 *
	 * @param orders to place
	 * @param ratePerSecond orders due each second
	 * @param syncShare share of them placed synchronously, 0 to 1
	 * @param customers number of customers that place them
	 * @param inOrder whether an order breaks the balance if it is saved before an order
	 * of the same customer that was accepted earlier
	 * @param seed seed of the faults
	 * @param drainMillis time for accepted orders to arrive after the load, in
	 * milliseconds
	 */
	record Workload(int orders, double ratePerSecond, double syncShare, int customers, boolean inOrder, long seed,
			long drainMillis) {

		/** Length of the load without delays, in milliseconds. */
		long millis() {
			return Math.round(this.orders / this.ratePerSecond * 1_000);
		}

		/** Describes the workload in the report. */
		String text() {
			return "open: %s orders per second by the clock, %s of them sync".formatted(this.ratePerSecond,
					Figures.percent(this.syncShare));
		}

	}

	Trial(Workload load, RunDirectory directory, Progress progress) {
		this.load = load;
		this.directory = directory;
		this.progress = progress;
	}

	/**
	 * Places orders, breaks the system and audits the orders.
	 * @param savedByNow number of orders saved, read twice a second;
	 * {@link SavedSampler#UNKNOWN} if unknown
	 * @throws LabException if a fault was not mended, or the witness does not answer
	 */
	void run(List<Gateway> gateways, OrderIdentity identity, List<FaultInjector.Fault> faults, LongSupplier savedByNow,
			BackendWitness witness) throws IOException, InterruptedException {
		this.progress.step(String.format(Locale.ROOT, "Placing %,d orders, %.0f per second, during %s (seed %d)",
				this.load.orders(), this.load.ratePerSecond(), Figures.counted(faults.size(), "fault"),
				this.load.seed()));
		try (OrderLedger entered = new OrderLedger(this.load.orders(), this.load.syncShare(),
				this.directory.path().resolve("attempts.csv"))) {
			this.ledger = entered;
			long start = System.nanoTime();
			SavedSampler sampler = new SavedSampler(savedByNow, start);
			try (sampler) {
				int placed = place(gateways, identity, faults, entered, start);
				this.progress.step("Everything runs again; waiting for orders under way");
				this.audited = new LedgerAudit(entered, identity, witness, placed, LedgerAudit.POLL)
					.run(Patience.of(Duration.ofMillis(this.load.drainMillis())).toMillis(), this.progress::now);
				LedgerAudit.write(violations(this.audited), this.directory.path().resolve(VIOLATIONS));
			}
			finally {
				List<@Nullable Integer> perSecond = sampler.perSecond();
				// If the number saved is unknown, the seconds end with the load.
				this.saved = perSecond.stream().anyMatch(Objects::nonNull) ? perSecond : List.of();
			}
			if (sampler.failure() != null) {
				throw new LabException("What was saved could not be counted all the time: " + sampler.failure());
			}
		}
	}

	private int place(List<Gateway> gateways, OrderIdentity identity, List<FaultInjector.Fault> planned,
			OrderLedger entered, long start) throws InterruptedException {
		OrderDriver driver = new OrderDriver(gateways, identity, entered, start);
		FaultInjector injector = new FaultInjector(planned, start, REST_MILLIS, this.progress);
		try (driver; injector) {
			driver.run(this.load.ratePerSecond(), (_) -> {
				this.progress.now("%s of %s orders placed".formatted(driver.placed(), this.load.orders()));
				return injector.isWell();
			});
			this.progress.step("The load has ended: %s orders placed%s".formatted(driver.placed(),
					injector.isOver() ? "" : "; the faults that are left go on without load"));
			injector.awaitHealed(HEAL_STARTS * DevServices.startTimeout().toMillis());
			return driver.placed();
		}
		finally {
			this.latestMillis = driver.latestMillis();
			this.faults = injector.done();
		}
	}

	/**
	 * The result so far; incomplete if the trial ended early.
	 * @param consumers number of consumers that share the work
	 */
	ChaosResult result(int consumers) {
		OrderLedger entered = this.ledger;
		if (entered == null) {
			return new ChaosResult(this.load.seed(), this.load.ratePerSecond(), this.load.syncShare(), null, null,
					List.of(), List.of(), List.of(), 0);
		}
		int[] sync = entered.acceptedMillis(Mode.SYNC);
		int[] queued = entered.acceptedMillis(Mode.QUEUED);
		List<ChaosResult.Fault> outages = this.faults.stream()
			.map((fault) -> new ChaosResult.Fault(fault.target(), fault.kind(), fault.beganMillis(),
					fault.healedMillis(), Outage.longest(sync, fault.beganMillis(), fault.healedMillis()),
					Outage.longest(queued, fault.beganMillis(), fault.healedMillis())))
			.toList();
		LedgerAudit.Audited found = this.audited;
		return new ChaosResult(this.load.seed(), this.load.ratePerSecond(), this.load.syncShare(),
				(found != null) ? found.balance() : null,
				(found != null) ? new CustomerOrder(this.load.inOrder(), this.load.customers(), consumers,
						found.perCustomer().compared(), found.perCustomer().overtaking().size()) : null,
				outages, entered.seconds(this.saved),
				(found != null) ? violations(found).stream().limit(MAX_VIOLATIONS).toList() : List.of(),
				this.latestMillis);
	}

	/** All violations. An order that overtakes another is one if order is promised. */
	private List<String> violations(LedgerAudit.Audited found) {
		return this.load.inOrder()
				? Stream.concat(found.violations().stream(), found.perCustomer().overtaking().stream()).toList()
				: found.violations();
	}

	/**
	 * Why a trial that ran to its end has failed nevertheless; null if it has not failed.
	 */
	@Nullable String failure(ChaosResult chaos) {
		if (chaos.holds()) {
			return (chaos.balance() != null && chaos.balance().accepted() == 0)
					? "No order was accepted, so nothing is proved: see the answers in "
							+ this.directory.path().resolve("attempts.csv")
					: null;
		}
		if (chaos.balance() != null && chaos.balance().holds() && chaos.customerOrder() != null
				&& chaos.customerOrder().inversions() == 0) {
			return "Nothing is known about the order per customer: no order was sent after another one of its customer was"
					+ " accepted; take fewer --customers";
		}
		return "The balance does not hold; all orders that break it are in "
				+ this.directory.path().resolve(VIOLATIONS);
	}

}
