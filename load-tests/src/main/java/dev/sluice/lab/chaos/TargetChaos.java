package dev.sluice.lab.chaos;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

import dev.sluice.devservices.Infrastructure;
import dev.sluice.lab.chaos.faults.ChaosPlan;
import dev.sluice.lab.chaos.faults.CommandFault;
import dev.sluice.lab.chaos.faults.FaultInjector;
import dev.sluice.lab.chaos.ledger.GatewayWitness;
import dev.sluice.lab.chaos.ledger.Gateways.Gateway;
import dev.sluice.lab.chaos.ledger.Gateways;
import dev.sluice.lab.chaos.ledger.OrderDriver;
import dev.sluice.lab.kit.plan.OrderIdentity;
import dev.sluice.lab.kit.client.OrderRequests;
import dev.sluice.lab.kit.deployed.Target;
import dev.sluice.lab.kit.deployed.TargetSystem;
import dev.sluice.lab.kit.measure.SavedSampler;
import dev.sluice.lab.kit.result.ChaosResult.Witness;
import dev.sluice.lab.kit.result.ChaosResult;
import dev.sluice.lab.kit.result.Finding;
import dev.sluice.lab.kit.result.RunResult.Check;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.run.Experiment;
import dev.sluice.lab.kit.run.Run;
import dev.sluice.lab.kit.stack.Module;
import org.jspecify.annotations.Nullable;

/**
 * The chaos experiment with a deployed system: the user's commands break it, and its
 * gateways report how far each order has come. Starts nothing.
 */
final class TargetChaos extends Experiment {

	/** Kind of the faults in the results: only the user knows what a command breaks. */
	private static final String KIND = "command";

	private static final Duration PAUSE = Duration.ofMillis(500);

	private final Target target;

	private final List<Planned> plan;

	private final Trial.Workload load;

	private final Trial trial;

	/**
	 * A fault of the target.
	 *
	 * @param name given by the user
	 */
	record Planned(int number, String name, long atMillis) {

		/**
		 * Draws the time of each fault.
		 * @param each how often each fault happens
		 * @throws IllegalArgumentException if the load is too short for it
		 */
		static List<Planned> of(Set<String> names, int each, Trial.Workload load) {
			List<String> all = names.stream()
				.sorted()
				.flatMap((name) -> Collections.nCopies(each, name).stream())
				.toList();
			return ChaosPlan.spread(all, load.millis(), load.seed(),
					(number, name, atMillis, _) -> new Planned(number, name, atMillis));
		}

	}

	TargetChaos(Run run, Target target, List<Planned> plan, Trial.Workload load) {
		super(ChaosExperiment.NAME, run, Infrastructure.AUTO);
		this.target = target;
		this.plan = plan;
		this.load = load;
		this.trial = new Trial(load, directory(), progress());
	}

	@Override
	protected void measure() throws IOException, InterruptedException {
		// A deployed system still has the orders of earlier runs.
		OrderIdentity identity = new OrderIdentity(OrderRequests.unused(ChaosExperiment.NAME), this.load.customers());
		try (TargetSystem system = TargetSystem.open(this.target)) {
			Gateways gateways = new Gateways(this.target.gateways()
				.entrySet()
				.stream()
				.map((gateway) -> new Gateway(gateway.getKey(), gateway.getValue()))
				.toList(), system.tls(), system.authorization());
			try (GatewayWitness witness = witness(gateways)) {
				witness.check(identity.id(0));
			}
			if (this.plan.isEmpty()) {
				progress().step("Nothing is broken: " + unbroken());
			}
			this.trial.run(gateways, identity, faults(), () -> SavedSampler.UNKNOWN, () -> witness(gateways));
		}
	}

	/**
	 * A witness that sends as many look-ups per second as there were orders per second.
	 */
	private GatewayWitness witness(Gateways gateways) {
		return new GatewayWitness(gateways, this.load.ratePerSecond(), PAUSE);
	}

	private List<FaultInjector.Fault> faults() throws IOException {
		Path logs = directory().directory("faults");
		List<FaultInjector.Fault> faults = new ArrayList<>();
		for (Planned planned : this.plan) {
			CommandFault commands = new CommandFault(Objects.requireNonNull(this.target.faults().get(planned.name())),
					logs, planned.number(), CommandFault.DEADLINE);
			faults.add(new FaultInjector.Fault(planned.number(), planned.name(), KIND, planned.name(),
					planned.atMillis(), commands));
		}
		return faults;
	}

	private String lookUps() {
		return "GET /orders/{id} of every order, at most %.1f per second, as many as orders were due"
			.formatted(this.load.ratePerSecond());
	}

	private static String unbroken() {
		return "the target names no 'faults', so orders are placed and looked up";
	}

	@Override
	protected Finding finding(@Nullable String partial) {
		return this.trial.result(Witness.GATEWAYS, (_) -> null);
	}

	@Override
	protected List<Check> checks() {
		if (this.plan.isEmpty()) {
			return List.of(this.target.check());
		}
		String problem = this.trial.faultFailure();
		return List.of(this.target.check(), new Check("Each command of the faults ended well", problem == null,
				(problem != null) ? problem : "within %d s each".formatted(CommandFault.DEADLINE.toSeconds())));
	}

	@Override
	protected String summary(RunResult result) {
		String seen = "%nThe gateways were asked: %s.%nNot seen: %s.%n".formatted(lookUps(),
				String.join("; ", GatewayWitness.UNSEEN));
		return (result.finding() instanceof ChaosResult chaos && chaos.balance() != null)
				? BalanceText.of(chaos, chaos.balance()) + seen : "";
	}

	@Override
	protected @Nullable String failure(RunResult result) {
		return (result.finding() instanceof ChaosResult chaos) ? this.trial.failure(chaos) : null;
	}

	@Override
	protected Set<Module> modules() {
		return Set.of();
	}

	@Override
	protected Map<String, String> configuration() {
		Map<String, String> configuration = new TreeMap<>(this.target.notes());
		configuration.remove("target's metrics");
		configuration.put("not seen", String.join("; ", GatewayWitness.UNSEEN));
		configuration.put("load", this.load.text());
		configuration.put("client", OrderDriver.text(List.copyOf(this.target.gateways().keySet())));
		configuration.put("look-ups", lookUps());
		configuration.put("seed", Long.toString(this.load.seed()));
		configuration.put("faults planned", this.plan.isEmpty() ? unbroken() : Integer.toString(this.plan.size()));
		this.plan.stream().map(Planned::name).distinct().forEach((name) -> {
			Target.Fault fault = Objects.requireNonNull(this.target.faults().get(name));
			configuration.put("fault " + name,
					"%s; for %.1f s; %s".formatted(fault.begin(), fault.lasts().toMillis() / 1_000.0,
							(fault.end() != null) ? fault.end() : "then it has healed by itself"));
		});
		return configuration;
	}

}
