package dev.sluice.lab.kit.plan;

import java.net.URI;
import java.util.List;
import java.util.stream.Stream;

import dev.sluice.contract.BackendBehaviour;
import dev.sluice.contract.BackendBehaviour.Delay;
import dev.sluice.lab.kit.plan.Phase.Client;
import dev.sluice.lab.kit.plan.Phase.Extent;
import dev.sluice.lab.kit.plan.Phase.Target;

/**
 * The unmeasured beginning of a round: enough orders of both modes to get the hot paths
 * of gateway, consumer and load generator compiled, then a burst that opens the
 * connections and starts the threads that the largest cell will need.
 */
public final class WarmUp {

	private static final BackendBehaviour FAST = BackendBehaviour.DEFAULT.withDelay(new Delay.Fixed(1));

	private static final int STEADY_USERS = 48;

	private static final long DEADLINE_MILLIS = 20_000;

	private WarmUp() {
	}

	/**
	 * The phases of a warm-up.
	 * @param orders number of orders of each mode, for the compiler
	 * @param burst number of orders at once at the end
	 */
	public static List<Phase> phases(URI gateway, List<Mode> modes, int orders, int burst) {
		return modes.stream()
			.map((mode) -> new Target(gateway, mode))
			.flatMap((target) -> Stream.of(phase("warm-up", target, orders, STEADY_USERS, FAST),
					phase("burst", target, burst, burst, BackendBehaviour.DEFAULT)))
			.toList();
	}

	private static Phase phase(String name, Target target, int orders, int users, BackendBehaviour behaviour) {
		return new Phase(name + " " + target.mode(), List.of(target), Extent.of(orders), Client.of(users), behaviour,
				DEADLINE_MILLIS, false, null);
	}

}
