package dev.sluice.lab.kit.load;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;

import dev.sluice.contract.BackendAudit;
import dev.sluice.contract.BackendBehaviour;
import dev.sluice.devservices.Patience;
import dev.sluice.lab.kit.cell.Window;
import dev.sluice.lab.kit.client.OrderRequests;
import dev.sluice.lab.kit.load.LoadGenerator.Progress;
import dev.sluice.lab.kit.load.OrderSupply.Counts;
import dev.sluice.lab.kit.measure.OrderCalls;
import dev.sluice.lab.kit.measure.OrderCalls.OrderTimes;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.plan.OrderIdentity;
import dev.sluice.lab.kit.plan.Phase;
import dev.sluice.lab.kit.plan.Phase.Outcome;
import dev.sluice.lab.kit.plan.Phase.Settling;
import dev.sluice.lab.kit.plan.Phase.WarmUpWindow;
import dev.sluice.lab.kit.process.ProcessSampler;
import dev.sluice.lab.kit.run.BackendControl;
import dev.sluice.lab.kit.stack.Http;
import dev.sluice.lab.kit.stack.LabException;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Runs phases, one after another. A phase begins when the services are at rest and the
 * backend has its behaviour and no orders; its orders are placed by a simulation in the
 * load generator; it ends when the backend has saved them all, or at its deadline. Not
 * thread-safe.
 */
public final class PhaseRunner {

	/** Shortest rest before a phase. */
	private static final Duration QUIET = Duration.ofMillis(300);

	/**
	 * Longest wait for the services to come to rest; then the next phase begins anyway.
	 */
	private static final Duration MAX_QUIET = Duration.ofSeconds(8);

	/** Longest rest of a warm-up. */
	private static final Duration MAX_COMPILING = Duration.ofSeconds(15);

	/**
	 * Time for the gateway to close its unused connections: a little more than twice the
	 * shortest idle timeout that it can have, 1 s.
	 */
	private static final Duration IDLE = Duration.ofMillis(2_300);

	private static final Duration POLL = Duration.ofMillis(50);

	/** Pause between checks of the backlog while orders are placed. */
	private static final Duration BACKLOG_POLL = Duration.ofMillis(200);

	/** Time for a simulation to begin, and to write its notes. */
	private static final Duration MAX_OVERHEAD = Duration.ofSeconds(60);

	/** Time to clear what an unfinished phase has left behind. */
	private static final Duration CLEAN_UP = Duration.ofSeconds(30);

	/** Fast and unlimited, to clear leftovers. */
	private static final BackendBehaviour FAST = BackendBehaviour.DEFAULT
		.withDelay(new BackendBehaviour.Delay.Fixed(0));

	/** Checks in a row that show that the queue is empty or the circuit closed. */
	private static final int ENOUGH = 20;

	private static final JsonMapper JSON = JsonMapper.shared();

	private final BackendControl backend;

	private final GeneratorProcess generator;

	/** Of the services and the generator. */
	private final ProcessSampler sampler;

	private final Path outcomes;

	private final String token;

	private final Runnable health;

	private final Consumer<List<WarmUpWindow>> warming;

	/** The phase before, if it left something behind. */
	private @Nullable Phase unclean;

	/**
	 * Creates a runner.
	 * @param sampler of the processes that must be at rest before a phase begins
	 * @param outcomes directory of the measured phases' files
	 * @param token part of every idempotency key
	 * @param health called while the runner waits; fails if a service has died
	 * @param warming receives the windows of a warm-up after each of them
	 */
	public PhaseRunner(BackendControl backend, GeneratorProcess generator, ProcessSampler sampler, Path outcomes,
			String token, Runnable health, Consumer<List<WarmUpWindow>> warming) {
		this.backend = backend;
		this.generator = generator;
		this.sampler = sampler;
		this.outcomes = outcomes.toAbsolutePath();
		this.token = token;
		this.health = health;
		this.warming = warming;
	}

	/**
	 * A phase and what was noted of it, in its files too.
	 *
	 * @param outcome how it ended
	 * @param calls its calls
	 * @param times of its orders
	 */
	public record Measured(Outcome outcome, OrderCalls calls, OrderTimes times) {
	}

	/**
	 * Runs a phase and keeps what became of its orders.
	 * @throws LabException if it cannot be run to its end
	 */
	public Measured measure(Phase phase) throws IOException, InterruptedException {
		prepare(phase);
		Path notes = file(phase, ".calls.csv.gz");
		begin(phase, notes);
		Counts counts = end(phase);
		BackendAudit audit = this.backend.audit();
		Instant end = Instant.now();
		OrderCalls calls = OrderCalls.read(notes);
		OrderTimes times = calls.times(OrderSupply.identity(this.token, phase.name())::id, this.backend.savedMicros());
		times.write(file(phase, ".orders.csv.gz"));
		Outcome outcome = new Outcome(phase.name(), counts.placed(), counts.accepted(), end, audit,
				calls.startLagP99Millis(phase));
		Files.write(file(phase, ".json"), JSON.writeValueAsBytes(outcome));
		return new Measured(outcome, calls, times);
	}

	private Path file(Phase phase, String ending) {
		return this.outcomes.resolve(phase.name() + ending);
	}

	/**
	 * Runs a phase of which nothing is kept.
	 * @throws LabException if it cannot be run to its end
	 */
	public void run(Phase phase) throws InterruptedException {
		prepare(phase);
		begin(phase, null);
		end(phase);
	}

	private void prepare(Phase phase) throws InterruptedException {
		if (this.unclean != null) {
			recover(this.unclean.targets().getFirst().gateway());
			this.unclean = null;
		}
		this.sampler.awaitRest(phase.client().keepsConnections() ? QUIET : IDLE, Patience.of(MAX_QUIET), this::pause);
		this.backend.behave(phase.behaviour());
	}

	/**
	 * Load and rest by turns, until two loads agree. Under load the compilers get no more
	 * of the cores than other threads, and are behind for minutes; a rest is theirs.
	 * @param phase run again and again
	 * @param rule when the warm-up ends
	 */
	public List<WarmUpWindow> warmUp(Phase phase, Settling rule) throws InterruptedException {
		prepare(phase);
		WarmUpWatch watch = new WarmUpWatch(rule);
		while (true) {
			Phase cycle = phase.named(phase.name() + " " + (watch.windows().size() + 1));
			begin(cycle, null);
			Instant start = Instant.now();
			end(cycle);
			watch.add(new Window(start, Instant.now()), this.sampler.samples(), this.backend.savedIfKnown());
			this.warming.accept(watch.windows());
			if (watch.isOver()) {
				return watch.windows();
			}
			this.sampler.awaitRest(QUIET, Patience.of(MAX_COMPILING), this::pause);
		}
	}

	/**
	 * Returns when the first order has been placed.
	 * @param notes file for the calls; null for none
	 */
	private void begin(Phase phase, @Nullable Path notes) throws InterruptedException {
		this.backend.forget();
		this.generator.run(new LoadParameters(phase, this.token, notes, 100, null));
		awaitFirstOrder();
	}

	/** Returns when the backend has saved all orders, or at the deadline. */
	private Counts end(Phase phase) throws InterruptedException {
		long deadline = deadline(Duration.ofMillis(phase.deadlineMillis()));
		Counts counts = awaitEnd(phase, deadline);
		int due = phase.extent().isTimed() ? counts.accepted() : phase.extent().orders();
		if (drain(due, deadline) < due || counts.failedCalls() > 0) {
			this.unclean = phase;
		}
		return counts;
	}

	private void awaitFirstOrder() throws InterruptedException {
		long deadline = deadline(Patience.of(MAX_OVERHEAD));
		Progress progress = this.generator.progress();
		while (progress.counts().placed() == 0 && !progress.ended()) {
			if (isOver(deadline)) {
				throw new LabException("the load generator has placed no order");
			}
			pause(POLL);
			progress = this.generator.progress();
		}
	}

	/**
	 * Waits until all orders are placed, and stops the placing when the backlog has
	 * reached its limit.
	 */
	private Counts awaitEnd(Phase phase, long deadline) throws InterruptedException {
		int most = phase.extent().mostBacklog();
		Progress progress = this.generator.progress();
		while (!progress.ended()) {
			if (isOver(deadline + Patience.of(OrdersSimulation.CALL_TIMEOUT.plus(MAX_OVERHEAD)).toNanos())) {
				throw new LabException("the load generator has not ended '%s'".formatted(phase.name()));
			}
			pause((most > 0) ? BACKLOG_POLL : POLL);
			progress = this.generator.progress();
			Counts counts = progress.counts();
			if (most > 0 && counts.placed() >= phase.extent().orders()
					&& counts.accepted() - this.backend.savedIfKnown() >= most) {
				this.generator.stop();
			}
		}
		return progress.counts();
	}

	/** Waits until the backend has saved so many orders; returns how many it has. */
	private long drain(long orders, long deadline) throws InterruptedException {
		long saved = this.backend.savedIfKnown();
		while (saved < orders && !isOver(deadline)) {
			pause(POLL);
			saved = Math.max(saved, this.backend.savedIfKnown());
		}
		return saved;
	}

	/**
	 * After a phase that failed in part: lets the backend, the queue and the circuit
	 * breakers come to rest, so that the next phase does not pay for it.
	 */
	private void recover(URI gateway) throws InterruptedException {
		this.backend.behave(FAST);
		long deadline = deadline(Patience.of(CLEAN_UP));
		long before = -1;
		for (int unchanged = 0; unchanged < ENOUGH && !isOver(deadline); unchanged++) {
			long saved = this.backend.savedIfKnown();
			unchanged = (saved == before) ? unchanged : 0;
			before = saved;
			pause(POLL);
		}
		OrderRequests probes = new OrderRequests(gateway, Mode.SYNC,
				new OrderIdentity(this.token + "-probe-" + System.nanoTime()), null);
		int number = 0;
		for (int successes = 0; successes < ENOUGH && !isOver(deadline);) {
			successes = isAccepted(probes, number++) ? successes + 1 : 0;
			pause(POLL);
		}
	}

	private boolean isAccepted(OrderRequests probes, int number) throws InterruptedException {
		try {
			return Http.CLIENT.send(probes.apply(number), BodyHandlers.discarding()).statusCode() == 201;
		}
		catch (IOException _) {
			return false;
		}
	}

	private void pause(Duration duration) throws InterruptedException {
		long end = deadline(duration);
		while (!isOver(end)) {
			this.health.run();
			Thread.sleep(Math.min(BACKLOG_POLL.toMillis(), Math.max(1, (end - System.nanoTime()) / 1_000_000)));
		}
	}

	private static long deadline(Duration duration) {
		return System.nanoTime() + duration.toNanos();
	}

	private static boolean isOver(long deadline) {
		return System.nanoTime() - deadline >= 0;
	}

}
