package dev.sluice.lab.chaos;

import dev.sluice.devservices.Breakable;
import dev.sluice.lab.chaos.ChaosPlan.Kind;
import org.jspecify.annotations.Nullable;

/**
 * A process that the lab started and can break.
 *
 * @param name its name in the results
 * @param process the process to kill, freeze and start
 * @param behaviour makes it misbehave; null if it cannot
 */
record Victim(String name, Breakable process, @Nullable Misbehaviour behaviour) {

	/** Makes a server answer wrongly, or correctly again. */
	public interface Misbehaviour {

		void begin(Kind kind) throws InterruptedException;

		void end() throws InterruptedException;

	}

	/** Breaks this process, and mends it after a while. */
	void inject(Kind kind, long lastMillis) throws InterruptedException {
		switch (kind) {
			case KILL -> {
				this.process.kill();
				Thread.sleep(lastMillis);
				this.process.start();
			}
			case RESTART -> {
				this.process.stop();
				this.process.start();
			}
			case FREEZE -> {
				this.process.freeze();
				try {
					Thread.sleep(lastMillis);
				}
				finally {
					this.process.unfreeze();
				}
			}
			case ERRORS, HANG, RESET -> {
				if (this.behaviour == null) {
					throw new IllegalArgumentException(this.name + " cannot be made to misbehave");
				}
				this.behaviour.begin(kind);
				Thread.sleep(lastMillis);
				this.behaviour.end();
			}
		}
	}

}
