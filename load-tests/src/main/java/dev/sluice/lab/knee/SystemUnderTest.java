package dev.sluice.lab.knee;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;

import javax.net.ssl.SSLContext;

import dev.sluice.contract.BackendBehaviour;
import dev.sluice.contract.BackendBehaviour.Delay;
import dev.sluice.devservices.Patience;
import dev.sluice.lab.kit.metrics.Exposition;
import dev.sluice.lab.kit.process.ProcessGroup;
import dev.sluice.lab.kit.metrics.PrometheusHistogram;
import dev.sluice.lab.kit.plan.BackendCapacity;
import dev.sluice.lab.kit.run.BackendControl;
import dev.sluice.lab.kit.stack.LabException;
import dev.sluice.lab.kit.stack.Service;
import dev.sluice.lab.kit.stack.Stack;
import dev.sluice.lab.kit.deployed.Target;
import dev.sluice.lab.kit.deployed.TargetSystem;
import org.jspecify.annotations.Nullable;

/** The system around the measured gateway: started by the lab, or deployed by others. */
sealed interface SystemUnderTest {

	String ACCEPT_TO_SAVED = "sluice_accept_to_saved_seconds";

	long POLL_MILLIS = 50;

	URI gateway();

	/** Authorization header of the requests; null if none is needed. */
	default @Nullable String authorization() {
		return null;
	}

	/** The certificates to trust; null for the JDK's. */
	default @Nullable SSLContext tls() {
		return null;
	}

	/**
	 * Checks that the system still runs, as far as that is visible.
	 * @throws LabException if it does not run
	 */
	void check();

	/**
	 * Number of orders of all clients saved so far.
	 * @throws LabException if it is not known
	 */
	long saved() throws InterruptedException;

	/** Time without a change of {@link #saved} after which no order is on its way. */
	Duration quiet();

	/**
	 * Whether a backlog may grow without harm, as no other clients wait for their orders.
	 */
	boolean mayPileUp();

	/**
	 * Waits until the backlog is saved. A backend that the lab started then forgets its
	 * orders, so {@link #saved} restarts at 0.
	 */
	void clear() throws InterruptedException;

	/**
	 * Returns whether the number of saved orders becomes stable within a time, so that no
	 * order is on its way.
	 */
	default boolean drained(Duration within) throws InterruptedException {
		long deadline = System.nanoTime() + within.toNanos();
		long saved = saved();
		int unchanged = 0;
		while (System.nanoTime() - deadline < 0) {
			Thread.sleep(POLL_MILLIS);
			long now = saved();
			unchanged = (now == saved) ? unchanged + 1 : 0;
			saved = now;
			if (unchanged * POLL_MILLIS > quiet().toMillis()) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Times from accepted to saved of all queued orders so far.
	 * @throws LabException if it is not known
	 */
	PrometheusHistogram savedTimes() throws InterruptedException;

	/**
	 * The processes of the measurement, whose CPU is not foreign; empty if they are not
	 * visible.
	 */
	Map<String, ProcessGroup> processes();

	/** A stack that the lab started. */
	record Started(URI gateway, BackendControl backend, Map<String, Service> services,
			Map<String, ProcessGroup> processes, HttpClient http) implements SystemUnderTest {

		/** Enough for a million orders and a backend without delay. */
		private static final Duration CLEARED = Duration.ofMinutes(3);

		@Override
		public void check() {
			Stack.checkAlive(this.services.values());
		}

		@Override
		public long saved() throws InterruptedException {
			return this.backend.saved();
		}

		@Override
		public Duration quiet() {
			return Duration.ofMillis(4 * BackendCapacity.DELAY_MILLIS);
		}

		@Override
		public boolean mayPileUp() {
			return true;
		}

		@Override
		public void clear() throws InterruptedException {
			this.backend.behave(BackendBehaviour.DEFAULT.withDelay(new Delay.Fixed(0)));
			Duration within = Patience.of(CLEARED);
			if (!drained(within)) {
				throw new LabException("The backlog was not delivered within %s s".formatted(within.toSeconds()));
			}
			// The backend keeps a bounded number of orders and refuses more: searches of
			// several variants exceed it.
			this.backend.forget();
			this.backend.behave(BackendCapacity.UNLIMITED.behaviour());
		}

		@Override
		public PrometheusHistogram savedTimes() throws InterruptedException {
			URI metrics = Objects.requireNonNull(this.services.get(KneeExperiment.CONSUMER)).metrics();
			try {
				return PrometheusHistogram.read(
						this.http
							.send(HttpRequest.newBuilder(metrics).timeout(Duration.ofSeconds(5)).build(),
									BodyHandlers.ofString())
							.body(),
						ACCEPT_TO_SAVED);
			}
			catch (IOException ex) {
				throw new LabException("The consumer does not serve its metrics: " + ex, ex);
			}
		}

	}

	/**
	 * A gateway of a target. The number of saved orders comes from its consumer's
	 * metrics, so orders of other clients count too.
	 *
	 * @param queued whether queued orders are measured; otherwise the metrics are not
	 * read
	 */
	record Deployed(URI gateway, TargetSystem system, boolean queued) implements SystemUnderTest {

		@Override
		public @Nullable String authorization() {
			return this.system.authorization();
		}

		@Override
		public @Nullable SSLContext tls() {
			return this.system.tls();
		}

		@Override
		public void check() {
			// The answers to orders show whether it runs.
		}

		@Override
		public long saved() throws InterruptedException {
			if (!this.queued) {
				return 0;
			}
			Double saved = consumer().sum(ACCEPT_TO_SAVED + "_count");
			if (saved == null) {
				throw missing("_count");
			}
			return saved.longValue();
		}

		@Override
		public Duration quiet() {
			return Duration.ofSeconds(2);
		}

		@Override
		public boolean mayPileUp() {
			return false;
		}

		@Override
		public void clear() {
			// There is no backlog.
		}

		@Override
		public PrometheusHistogram savedTimes() throws InterruptedException {
			if (!this.queued) {
				return new PrometheusHistogram(Map.of());
			}
			PrometheusHistogram times = PrometheusHistogram.of(consumer(), ACCEPT_TO_SAVED);
			if (times.counts().isEmpty()) {
				throw missing("_bucket");
			}
			return times;
		}

		private static LabException missing(String suffix) {
			return new LabException(
					"The consumer's metrics lack %s%s, so nobody knows what is saved: check 'consumer' in the target's 'metrics'"
						.formatted(ACCEPT_TO_SAVED, suffix));
		}

		private Exposition consumer() throws InterruptedException {
			Exposition consumer = this.system.read().get(Target.CONSUMER);
			if (consumer == null) {
				throw new LabException("The consumer does not report the orders saved: %s"
					.formatted(this.system.failures().get(Target.CONSUMER)));
			}
			return consumer;
		}

		@Override
		public Map<String, ProcessGroup> processes() {
			return Map.of();
		}

	}

}
