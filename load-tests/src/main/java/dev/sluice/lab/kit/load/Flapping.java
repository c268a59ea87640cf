package dev.sluice.lab.kit.load;

import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;

import dev.sluice.contract.BackendBehaviour;
import dev.sluice.lab.kit.plan.LoadPlan.Flap;
import dev.sluice.lab.kit.run.BackendControl;

/**
 * Switches a backend between two behaviours, on its own thread, until it is closed. It
 * does not restore the first behaviour, because the next phase sets its own. A failed
 * request to the backend ends it.
 */
final class Flapping implements AutoCloseable {

	/** Longest wait for a request to the backend that is under way. */
	private static final Duration END = Duration.ofSeconds(5);

	private final BackendControl backend;

	private final BackendBehaviour well;

	private final Flap flap;

	private final Thread thread;

	private Flapping(BackendControl backend, BackendBehaviour well, Flap flap) {
		this.backend = backend;
		this.well = well;
		this.flap = flap;
		this.thread = Thread.ofVirtual().name("flapping").unstarted(this::run);
	}

	static Flapping start(URI backend, BackendBehaviour well, Flap flap) {
		Flapping flapping = new Flapping(new BackendControl(HttpClient.newHttpClient(), backend), well, flap);
		flapping.thread.start();
		return flapping;
	}

	private void run() {
		try (HttpClient _ = this.backend.client()) {
			while (true) {
				Thread.sleep(this.flap.wellMillis());
				this.backend.behave(this.flap.unwell());
				Thread.sleep(this.flap.unwellMillis());
				this.backend.behave(this.well);
			}
		}
		catch (InterruptedException _) {
			// Closed.
		}
	}

	@Override
	public void close() {
		this.thread.interrupt();
		try {
			this.thread.join(END);
		}
		catch (InterruptedException _) {
			Thread.currentThread().interrupt();
		}
	}

}
