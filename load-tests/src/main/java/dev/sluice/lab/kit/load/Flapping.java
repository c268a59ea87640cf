package dev.sluice.lab.kit.load;

import java.time.Duration;

import dev.sluice.contract.BackendBehaviour;
import dev.sluice.lab.kit.plan.Phase.Flap;
import dev.sluice.lab.kit.run.BackendControl;
import dev.sluice.lab.kit.stack.LabException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Switches a backend between two behaviours, on its own thread, until it is closed. It
 * does not restore the first behaviour, because the next phase sets its own. It logs a
 * failed request to the backend and goes on.
 */
final class Flapping implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(Flapping.class);

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

	static Flapping start(BackendControl backend, BackendBehaviour well, Flap flap) {
		Flapping flapping = new Flapping(backend, well, flap);
		flapping.thread.start();
		return flapping;
	}

	private void run() {
		try {
			while (true) {
				Thread.sleep(this.flap.wellMillis());
				behave(this.flap.unwell());
				Thread.sleep(this.flap.unwellMillis());
				behave(this.well);
			}
		}
		catch (InterruptedException _) {
			// Closed.
		}
	}

	private void behave(BackendBehaviour behaviour) throws InterruptedException {
		try {
			this.backend.behave(behaviour);
		}
		catch (LabException ex) {
			logger.warn("The backend has missed a change of its behaviour: {}", ex.getMessage());
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
