package dev.sluice.lab.knee;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;

import dev.sluice.contract.BackendBehaviour;
import dev.sluice.contract.BackendBehaviour.Delay;
import dev.sluice.devservices.Patience;
import dev.sluice.lab.kit.cell.Window;
import dev.sluice.lab.kit.client.CallMode;
import dev.sluice.lab.kit.client.Caller;
import dev.sluice.lab.kit.client.OpenClient;
import dev.sluice.lab.kit.client.OpenClient.OpenLoad;
import dev.sluice.lab.kit.client.OrderRequests;
import dev.sluice.lab.kit.deployed.Target;
import dev.sluice.lab.kit.deployed.TargetSystem;
import dev.sluice.lab.kit.load.WarmUpWatch;
import dev.sluice.lab.kit.measure.Exposition;
import dev.sluice.lab.kit.measure.PrometheusHistogram;
import dev.sluice.lab.kit.plan.BackendModel;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.plan.Phase.Settling;
import dev.sluice.lab.kit.plan.Phase.WarmUpWindow;
import dev.sluice.lab.kit.process.ProcessSampler;
import dev.sluice.lab.kit.run.BackendControl;
import dev.sluice.lab.kit.stack.LabException;
import dev.sluice.lab.kit.stack.Service;
import dev.sluice.lab.kit.stack.Stack;
import org.jspecify.annotations.Nullable;

/**
 * A gateway that is measured, and what is known about the system around it.
 *
 * @param gateway the gateway's address
 * @param system reads the consumer's metrics, which say what is saved and how soon
 * @param started what the lab knows of a system that it has started; null if others have
 * deployed it
 */
record SystemUnderTest(URI gateway, TargetSystem system, @Nullable Started started) {

	private static final String ACCEPT_TO_SAVED = "sluice_accept_to_saved_seconds";

	private static final long POLL_MILLIS = 50;

	/** Enough for a million orders and a backend without delay. */
	private static final Duration CLEARED = Duration.ofMinutes(3);

	/** More than two cores can handle. A larger machine also gets warm at this rate. */
	private static final double WARM_UP_PER_SECOND = 5_000;

	/** As in the warm-up of a comparison. */
	private static final int WARM_UP_OUTSTANDING = 200;

	private static final Duration WARM_UP_PATIENCE = Duration.ofSeconds(2);

	/** Longest rest between two windows: what the compilers have left to do. */
	private static final Duration MAX_REST = Duration.ofSeconds(15);

	/**
	 * A system that the lab has started, in which no other clients wait for their orders.
	 *
	 * @param sampler of the measurement's processes, whose CPU is not foreign
	 */
	record Started(BackendControl backend, Collection<Service> services, ProcessSampler sampler) {
	}

	/**
	 * The share of the machine's CPU that other processes used; null on a deployed
	 * system, of which no process is visible.
	 */
	@Nullable Double foreignCpuShare(Window window) {
		return (this.started == null) ? null
				: this.started.sampler().samples().foreignCpuShare(window, Runtime.getRuntime().availableProcessors());
	}

	/**
	 * Checks that what the lab has started runs; of others, the answers show it.
	 * @throws LabException if a service has died
	 */
	void checkAlive() {
		if (this.started != null) {
			Stack.checkAlive(this.started.services());
		}
	}

	Caller client() {
		return new Caller(CallMode.ASYNC, null, this.system.tls());
	}

	OrderRequests orders(Mode mode) {
		return this.system.orders(this.gateway, mode, "knee");
	}

	/**
	 * Warms up the services and this process's client: keeps 200 requests outstanding, in
	 * each mode in turn, with a rest after each window, until the last two agree in rate
	 * and in CPU per order, and the compilers have little left to do.
	 * @param rule when the warm-up ends
	 * @param sampler of the services and this process
	 * @return the windows; {@link WarmUpWindow#isWarm} says whether they have settled
	 */
	List<WarmUpWindow> warmUp(Settling rule, ProcessSampler sampler, List<Mode> modes) throws InterruptedException {
		OpenLoad load = new OpenLoad(WARM_UP_PER_SECOND, Duration.ofMillis(rule.windowMillis()).dividedBy(modes.size()),
				WARM_UP_PATIENCE, WARM_UP_OUTSTANDING);
		WarmUpWatch watch = new WarmUpWatch(rule);
		try (Caller client = client()) {
			while (!watch.isOver()) {
				sampler.awaitRest(Duration.ZERO, Patience.of(MAX_REST), Thread::sleep);
				long before = saved();
				Instant start = Instant.now();
				for (Mode mode : modes) {
					OpenClient.run(load, client.sending(orders(mode)));
				}
				watch.add(new Window(start, Instant.now()), sampler.samples(), saved() - before);
			}
		}
		return watch.windows();
	}

	/**
	 * Number of orders of all clients saved so far; of a deployed system that of the
	 * queued ones.
	 * @throws LabException if it is not known
	 */
	long saved() throws InterruptedException {
		return (this.started != null) ? this.started.backend().saved() : Math.round(savedTimes().count());
	}

	/**
	 * Times from accepted to saved of all queued orders so far.
	 * @throws LabException if they are not known
	 */
	PrometheusHistogram savedTimes() throws InterruptedException {
		Exposition consumer = this.system.read().get(Target.CONSUMER);
		if (consumer == null) {
			throw new LabException("The consumer does not report the orders saved: %s"
				.formatted(this.system.failures().get(Target.CONSUMER)));
		}
		PrometheusHistogram times = PrometheusHistogram.of(consumer, ACCEPT_TO_SAVED);
		if (times.counts().isEmpty()) {
			throw new LabException(
					"The consumer's metrics lack %s_bucket, so nobody knows what is saved: check 'consumer' in the target's 'metrics'"
						.formatted(ACCEPT_TO_SAVED));
		}
		return times;
	}

	/**
	 * Returns whether the number of saved orders becomes stable within a time, so that no
	 * order is on its way.
	 */
	boolean drained(Duration within) throws InterruptedException {
		long quietMillis = (this.started != null) ? 4 * BackendModel.DELAY_MILLIS : 2_000;
		long deadline = System.nanoTime() + within.toNanos();
		long saved = saved();
		int unchanged = 0;
		while (System.nanoTime() - deadline < 0) {
			Thread.sleep(POLL_MILLIS);
			long now = saved();
			unchanged = (now == saved) ? unchanged + 1 : 0;
			saved = now;
			if (unchanged * POLL_MILLIS > quietMillis) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Waits until the backlog is saved; the backend then forgets its orders, of which it
	 * keeps a bounded number, so {@link #saved} restarts at 0. Leaves a deployed system
	 * alone.
	 */
	void clear() throws InterruptedException {
		if (this.started == null) {
			return;
		}
		BackendControl backend = this.started.backend();
		backend.behave(BackendBehaviour.DEFAULT.withDelay(new Delay.Fixed(0)));
		Duration within = Patience.of(CLEARED);
		if (!drained(within)) {
			throw new LabException("The backlog was not delivered within %s s".formatted(within.toSeconds()));
		}
		backend.forget();
		backend.behave(BackendModel.UNLIMITED.behaviour());
	}

}
