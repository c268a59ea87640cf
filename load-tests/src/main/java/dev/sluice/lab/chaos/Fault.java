package dev.sluice.lab.chaos;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;

import dev.sluice.contract.BackendBehaviour;
import dev.sluice.contract.BackendBehaviour.Capacity;
import dev.sluice.contract.BackendBehaviour.Delay;
import dev.sluice.devservices.Breakable;
import dev.sluice.lab.kit.run.BackendControl;

/**
 * Something to break, and how.
 *
 * @param lastMillis how long the process stays frozen, dead or misbehaving, in
 * milliseconds
 */
record Fault(Victim victim, Kind kind, long lastMillis) {

	private static final long MIN_MILLIS = 1_000;

	private static final long MAX_MILLIS = 5_000;

	/**
	 * Longer than the consumer's session timeout of 6 s, so that it loses its partitions.
	 * One freeze in four is that long.
	 */
	private static final long LONG_MILLIS = 12_000;

	/**
	 * A process that the lab started and can break.
	 *
	 * @param name its name in the results
	 */
	record Victim(Target target, String name, Breakable process) {

		/**
		 * Of a group, one is broken at a time: one of three brokers that is left cannot
		 * acknowledge anything.
		 */
		String group() {
			return (this.target == Target.BROKER) ? this.target.toString() : this.name;
		}

	}

	/** Kinds of processes to break. */
	enum Target {

		/** One of the two gateways. */
		GATEWAY,

		CONSUMER,

		BROKER,

		POSTGRES,

		/**
		 * The witness: killed only if it keeps its orders in a database, not in memory.
		 */
		BACKEND;

		/** The kinds of faults that this target can have. */
		Set<Kind> kinds(boolean backendRemembers) {
			return switch (this) {
				case GATEWAY, CONSUMER, BROKER, POSTGRES -> EnumSet.of(Kind.KILL, Kind.FREEZE, Kind.RESTART);
				case BACKEND -> backendRemembers ? EnumSet.allOf(Kind.class)
						: EnumSet.of(Kind.FREEZE, Kind.ERRORS, Kind.HANG, Kind.RESET);
			};
		}

		@Override
		public String toString() {
			return name().toLowerCase(Locale.ROOT);
		}

	}

	/** Kinds of faults. */
	enum Kind {

		/** {@code kill -9}, then a restart. */
		KILL,

		/** SIGSTOP, and SIGCONT some seconds later. */
		FREEZE,

		/** A graceful stop, then a restart. */
		RESTART,

		/** Each order is answered 503. */
		ERRORS,

		/** No order is answered. */
		HANG,

		/** Each order's connection is reset. */
		RESET;

		@Override
		public String toString() {
			return name().toLowerCase(Locale.ROOT);
		}

	}

	/**
	 * Each fault that the targets of these victims can have, in one of them, in an order
	 * that is drawn.
	 * @param backendRemembers whether the backend still has what it saved after a kill
	 */
	static List<Fault> round(List<Victim> victims, boolean backendRemembers, Random random) {
		List<Fault> round = new ArrayList<>();
		for (Target target : Target.values()) {
			List<Victim> own = victims.stream().filter((victim) -> victim.target() == target).toList();
			if (!own.isEmpty()) {
				target.kinds(backendRemembers)
					.forEach((kind) -> round
						.add(new Fault(own.get(random.nextInt(own.size())), kind, lasts(kind, random))));
			}
		}
		Collections.shuffle(round, random);
		return round;
	}

	private static long lasts(Kind kind, Random random) {
		long drawn = MIN_MILLIS + random.nextLong(MAX_MILLIS - MIN_MILLIS);
		return switch (kind) {
			// As a supervisor that restarts the process at once or a little later.
			case KILL -> drawn - MIN_MILLIS;
			case FREEZE -> (random.nextInt(4) == 0) ? LONG_MILLIS : drawn;
			case RESTART, ERRORS, HANG, RESET -> drawn;
		};
	}

	/** Breaks and mends; mends what would outlast the run even if it is interrupted. */
	void happen(BackendControl backend) throws InterruptedException {
		Breakable process = this.victim.process();
		switch (this.kind) {
			case KILL -> {
				process.kill();
				Thread.sleep(this.lastMillis);
				process.start();
			}
			case RESTART -> {
				process.stop();
				process.start();
			}
			case FREEZE -> {
				process.freeze();
				try {
					Thread.sleep(this.lastMillis);
				}
				finally {
					process.unfreeze();
				}
			}
			case ERRORS -> misbehave(backend, 1, 0, 0);
			case HANG -> misbehave(backend, 0, 1, 0);
			case RESET -> misbehave(backend, 0, 0, 1);
		}
	}

	private void misbehave(BackendControl backend, double errors, double hangs, double resets)
			throws InterruptedException {
		backend
			.behave(new BackendBehaviour(new Delay.Fixed(0), errors, 503, hangs, resets, 0, new Capacity.Unlimited()));
		Thread.sleep(this.lastMillis);
		backend.behave(BackendBehaviour.DEFAULT);
	}

}
