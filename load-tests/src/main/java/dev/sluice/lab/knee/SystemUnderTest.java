package dev.sluice.lab.knee;

import java.net.URI;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;

import javax.net.ssl.SSLContext;

import dev.sluice.contract.BackendBehaviour;
import dev.sluice.contract.BackendBehaviour.Delay;
import dev.sluice.devservices.Patience;
import dev.sluice.lab.kit.deployed.Target;
import dev.sluice.lab.kit.deployed.TargetSystem;
import dev.sluice.lab.kit.metrics.Exposition;
import dev.sluice.lab.kit.metrics.PrometheusHistogram;
import dev.sluice.lab.kit.plan.BackendCapacity;
import dev.sluice.lab.kit.process.ProcessGroup;
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

	/**
	 * A system that the lab has started, in which no other clients wait for their orders.
	 *
	 * @param processes those of the measurement, whose CPU is not foreign
	 */
	record Started(BackendControl backend, Collection<Service> services, Map<String, ProcessGroup> processes) {
	}

	/** Authorization header of the requests; null if none is needed. */
	@Nullable String authorization() {
		return this.system.authorization();
	}

	/** The certificates to trust; null for the JDK's. */
	@Nullable SSLContext tls() {
		return this.system.tls();
	}

	/**
	 * Checks that the system still runs, as far as that is visible; of a deployed one the
	 * answers to orders show it.
	 * @throws LabException if it does not run
	 */
	void check() {
		if (this.started != null) {
			Stack.checkAlive(this.started.services());
		}
	}

	/**
	 * Number of orders of all clients saved so far.
	 * @throws LabException if it is not known
	 */
	long saved() throws InterruptedException {
		if (this.started != null) {
			return this.started.backend().saved();
		}
		Double saved = consumer().sum(ACCEPT_TO_SAVED + "_count");
		if (saved == null) {
			throw missing("_count");
		}
		return saved.longValue();
	}

	/**
	 * Times from accepted to saved of all queued orders so far.
	 * @throws LabException if they are not known
	 */
	PrometheusHistogram savedTimes() throws InterruptedException {
		PrometheusHistogram times = PrometheusHistogram.of(consumer(), ACCEPT_TO_SAVED);
		if (times.counts().isEmpty()) {
			throw missing("_bucket");
		}
		return times;
	}

	private Exposition consumer() throws InterruptedException {
		Exposition consumer = this.system.read().get(Target.CONSUMER);
		if (consumer == null) {
			throw new LabException("The consumer does not report the orders saved: %s"
				.formatted(this.system.failures().get(Target.CONSUMER)));
		}
		return consumer;
	}

	private static LabException missing(String suffix) {
		return new LabException(
				"The consumer's metrics lack %s%s, so nobody knows what is saved: check 'consumer' in the target's 'metrics'"
					.formatted(ACCEPT_TO_SAVED, suffix));
	}

	/**
	 * Returns whether the number of saved orders becomes stable within a time, so that no
	 * order is on its way.
	 */
	boolean drained(Duration within) throws InterruptedException {
		long quietMillis = (this.started != null) ? 4 * BackendCapacity.DELAY_MILLIS : 2_000;
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
		backend.behave(BackendCapacity.UNLIMITED.behaviour());
	}

	/** The processes of the measurement; empty if they are not visible. */
	Map<String, ProcessGroup> processes() {
		return (this.started != null) ? this.started.processes() : Map.of();
	}

}
