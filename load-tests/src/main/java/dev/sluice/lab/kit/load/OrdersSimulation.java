package dev.sluice.lab.kit.load;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;

import dev.sluice.contract.BackendAudit;
import dev.sluice.contract.BackendBehaviour;
import dev.sluice.contract.HttpNames;
import dev.sluice.devservices.Patience;
import dev.sluice.lab.kit.measure.OrderTimes;
import dev.sluice.lab.kit.process.ProcessSampler;
import dev.sluice.lab.kit.plan.LoadPlan;
import dev.sluice.lab.kit.plan.LoadPlan.Client;
import dev.sluice.lab.kit.plan.LoadPlan.Flap;
import dev.sluice.lab.kit.plan.LoadPlan.Phase;
import dev.sluice.lab.kit.plan.LoadPlan.Settling;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.plan.PhaseOutcome;
import dev.sluice.lab.kit.plan.WarmUpWindow;
import io.gatling.http.response.Response;
import io.gatling.javaapi.core.ChainBuilder;
import io.gatling.javaapi.core.Session;
import io.gatling.javaapi.core.Simulation;
import io.gatling.javaapi.http.HttpRequestActionBuilder;
import tools.jackson.databind.json.JsonMapper;

import static io.gatling.javaapi.core.CoreDsl.StringBody;
import static io.gatling.javaapi.core.CoreDsl.asLongAs;
import static io.gatling.javaapi.core.CoreDsl.atOnceUsers;
import static io.gatling.javaapi.core.CoreDsl.bodyBytes;
import static io.gatling.javaapi.core.CoreDsl.bodyString;
import static io.gatling.javaapi.core.CoreDsl.doIf;
import static io.gatling.javaapi.core.CoreDsl.doIfOrElse;
import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.gatling.javaapi.core.CoreDsl.jmesPath;
import static io.gatling.javaapi.core.CoreDsl.jsonPath;
import static io.gatling.javaapi.core.CoreDsl.pause;
import static io.gatling.javaapi.core.CoreDsl.scenario;
import static io.gatling.javaapi.core.CoreDsl.stopLoadGenerator;
import static io.gatling.javaapi.http.HttpDsl.http;
import static io.gatling.javaapi.http.HttpDsl.status;

/**
 * Runs the phases of a {@link LoadPlan}, one after another, each in three steps: prepare
 * (the services are at rest, the backend has the phase's behaviour and no orders), orders
 * (each user takes an order, waits until it is due, places it, retries until it is
 * accepted, then takes the next), drain (until the backend has saved them all, or the
 * deadline). Only the order requests of measured phases are in the log.
 *
 * <p>
 * All phases run in one process on purpose: starting Gatling costs about four seconds,
 * and a generator that has just started is ten times slower than one that is warm. They
 * also share one population, whose users wait for each other between the steps: a
 * population of its own would begin at Gatling's next tick, up to a second later.
 */
public final class OrdersSimulation extends Simulation {

	/** The status and the type of a problem document (RFC 9457). */
	private static final String PROBLEM = "join(' ', [to_string(status), type || 'about:blank'])";

	/** Time after which a call is given up and retried. */
	private static final Duration CALL_TIMEOUT = Duration.ofSeconds(60);

	/** Pause between checks whether the services are at rest. */
	private static final Duration QUIET = Duration.ofMillis(300);

	/**
	 * Longest wait for the services to come to rest; then the next phase begins anyway.
	 */
	private static final Duration MAX_QUIET = Duration.ofSeconds(8);

	/**
	 * Time for the gateway to close its unused connections: a little more than twice the
	 * shortest idle timeout that it can have, 1 s.
	 */
	private static final Duration IDLE = Duration.ofMillis(2_300);

	/** Pause after the last phase: its cost needs a sample taken after its end. */
	private static final Duration LAST_SAMPLES = ProcessSampler.INTERVAL.multipliedBy(5);

	private static final Duration POLL = Duration.ofMillis(50);

	/** Pause between checks of the backlog while orders are placed. */
	private static final Duration BACKLOG_POLL = Duration.ofMillis(200);

	/** Time to clear what an unfinished phase has left behind. */
	private static final Duration CLEAN_UP = Duration.ofSeconds(30);

	/** Fast and unlimited, to clear leftovers. */
	private static final BackendBehaviour FAST = BackendBehaviour.DEFAULT
		.withDelay(new BackendBehaviour.Delay.Fixed(0));

	/** More than fit into {@link #CLEAN_UP}. */
	private static final int MAX_PROBES = 100_000;

	private static final String NUMBER = "number";

	private static final String ORDER = "order";

	private static final String DUE = "due";

	private static final String TRIES = "tries";

	private static final String AGAIN = "again";

	private static final String SAVED = "saved";

	private static final String STATUS = "status";

	private static final String AUDIT = "audit";

	private static final String ORDERS = "orders";

	private static final String SAVED_BEFORE = "savedBefore";

	private static final String UNCHANGED = "unchanged";

	private static final String SUCCESSES = "successes";

	private static final String UNTIL = "until";

	private static final String RESTED = "rested";

	private final JsonMapper json = JsonMapper.builder().build();

	private final LoadPlan plan = PlanSource.read(this.json);

	/** CPU time of the services that must be at rest between phases. */
	private final ProcessTime services = new ProcessTime(this.plan.pids());

	/** CPU time of the services and of this process. */
	private final ProcessTime all = new ProcessTime(
			Stream.concat(this.plan.pids().stream(), Stream.of(ProcessHandle.current().pid())).toList());

	public OrdersSimulation() {
		int users = this.plan.phases().stream().mapToInt(OrdersSimulation::users).max().orElseThrow();
		AtomicInteger arrivals = new AtomicInteger();
		// The first user conducts the phases, the others place orders.
		ChainBuilder chain = exec((session) -> session.set(NUMBER, arrivals.getAndIncrement()));
		OrderSupply before = null;
		for (Phase phase : this.plan.phases()) {
			OrderSupply supply = new OrderSupply(this.plan.token(), this.plan.gateway(), phase);
			WarmUpWatch watch = (phase.warmUp() != null) ? new WarmUpWatch(phase.warmUp()) : null;
			ChainBuilder prepare = prepare(phase, supply);
			chain = chain.doIf(OrdersSimulation::isConductor)
				.then((before != null) ? recover(before).exec(prepare) : prepare)
				.rendezVous(users + 1)
				.doIf((session) -> !isConductor(session) && session.getInt(NUMBER) <= users(phase))
				.then(orders(phase, supply));
			if (watch != null && phase.warmUp() != null) {
				chain = chain.doIf(OrdersSimulation::isConductor).then(watch(phase.warmUp(), watch, supply));
			}
			else if (phase.mostBacklog() > 0) {
				chain = chain.doIf(OrdersSimulation::isConductor).then(watchBacklog(supply));
			}
			chain = chain.rendezVous(users + 1)
				.doIf(OrdersSimulation::isConductor)
				.then(drain(phase, supply, (watch != null) ? watch::windows : List::of));
			before = supply;
		}
		chain = chain.pause(LAST_SAMPLES);
		setUp(scenario("orders").exec(chain).injectOpen(atOnceUsers(users + 1))).assertions(PlanSource.assertions())
			.protocols(http.baseUrl(this.plan.gateway().toString())
				.acceptHeader("application/json, application/problem+json")
				.contentTypeHeader("application/json")
				.shareConnections()
				.disableWarmUp());
	}

	private static int users(Phase phase) {
		return phase.isTimed() ? phase.users() : Math.min(phase.orders(), phase.users());
	}

	private static boolean isConductor(Session session) {
		return session.getInt(NUMBER) == 0;
	}

	private ChainBuilder prepare(Phase phase, OrderSupply supply) {
		return untilIdle(phase.client().keepsConnections() ? QUIET : IDLE).exec(behave(phase.behaviour()))
			.exec((session) -> session.set(STATUS, 0))
			.exec(http("forget").delete(backend("/audit")).silent().check(status().saveAs(STATUS)))
			.exec(exitUnless(204, "The backend at " + this.plan.backend() + " did not clear its audit"))
			.exec((session) -> {
				supply.start();
				Flap flap = phase.flap();
				if (flap != null) {
					supply.flap(Flapping.start(this.plan.backend(), phase.behaviour(), flap));
				}
				return session;
			});
	}

	/**
	 * Waits until the services have nothing left to compile, project or collect, so that
	 * no phase pays for the one before.
	 */
	private ChainBuilder untilIdle(Duration least) {
		return exec((session) -> {
			this.services.sample();
			return session.set(UNTIL, System.nanoTime() + Patience.of(MAX_QUIET).toNanos()).set(RESTED, false);
		}).pause(least)
			.asLongAs((session) -> !session.getBoolean(RESTED) && !isOver(session))
			.on(pause(QUIET), exec((session) -> session.set(RESTED, this.services.isIdle())));
	}

	/** Ends a warm-up when its windows agree, or after the last of them. */
	private ChainBuilder watch(Settling rule, WarmUpWatch watch, OrderSupply supply) {
		return exec((session) -> {
			watch.start(System.nanoTime(), this.all.millis(), this.all.jitMillis());
			return session;
		}).asLongAs((_) -> !watch.isOver() && !supply.isEnough())
			.on(pause(Duration.ofMillis(rule.windowMillis())), exec((session) -> session.set(SAVED, 0L)), count(),
					exec((session) -> {
						watch.window(System.nanoTime(), session.getLong(SAVED), this.all.millis(),
								this.all.jitMillis());
						return session;
					}))
			.exec((session) -> {
				supply.stop();
				return session;
			});
	}

	/** Ends the phase when its backlog has reached its limit. */
	private ChainBuilder watchBacklog(OrderSupply supply) {
		return exec((session) -> session.set(SAVED, 0L)).asLongAs((_) -> !supply.isEnough())
			.on(pause(BACKLOG_POLL), count(), exec((session) -> {
				supply.watchBacklog(session.getLong(SAVED));
				return session;
			}));
	}

	/**
	 * After a phase that failed in part: lets the backend, the queue and the circuit
	 * breakers come to rest, so that the next phase does not pay for it.
	 */
	private ChainBuilder recover(OrderSupply before) {
		OrderSupply probes = new OrderSupply(this.plan.token(), before.gateway(),
				new Phase("probe after " + before.name(), Mode.SYNC, MAX_PROBES, 1, FAST,
						Patience.of(CLEAN_UP).toMillis(), false));
		ChainBuilder untilQueueIsEmpty = exec((session) -> session.set(SAVED, -1L).set(UNCHANGED, 0))
			.asLongAs((session) -> session.getInt(UNCHANGED) < 20 && !isOver(session))
			.on(exec((session) -> session.set(SAVED_BEFORE, session.getLong(SAVED))), count(), exec((session) -> {
				boolean changed = session.getLong(SAVED) != session.getLong(SAVED_BEFORE);
				return session.set(UNCHANGED, changed ? 0 : session.getInt(UNCHANGED) + 1);
			}), pause(POLL));
		ChainBuilder untilCircuitIsClosed = exec((session) -> session.set(SUCCESSES, 0))
			.asLongAs((session) -> session.getInt(SUCCESSES) < 20 && !isOver(session))
			.on(exec((session) -> session.set(ORDER, probes.take()).set(TRIES, 0).set(STATUS, 0)),
					exec(order("probe", Mode.SYNC, probes, Client.USUAL, true)), exec((session) -> {
						int successes = isTaken(session) ? session.getInt(SUCCESSES) + 1 : 0;
						return session.set(SUCCESSES, successes);
					}), pause(POLL));
		return doIf((session) -> !before.isClean()).then(behave(FAST),
				exec((session) -> session.set(UNTIL, System.nanoTime() + Patience.of(CLEAN_UP).toNanos())),
				untilQueueIsEmpty, untilCircuitIsClosed);
	}

	private ChainBuilder orders(Phase phase, OrderSupply supply) {
		return exec((session) -> session.set(ORDER, supply.take()))
			.asLongAs((session) -> session.getInt(ORDER) != OrderSupply.NONE)
			.on(doIf((_) -> phase.client().perSecond() > 0)
				.then(pause((session) -> supply.untilDue(session.getInt(ORDER)))), exec((session) -> {
					long due = supply.begun(session.getInt(ORDER));
					return session.set(DUE, due).set(TRIES, 0).set(AGAIN, true);
				}), asLongAs((session) -> session.getBoolean(AGAIN)).on(exec((session) -> session.set(STATUS, 0)),
						order(phase, supply), exec((session) -> answered(session, supply)),
						doIf((session) -> session.getBoolean(AGAIN)).then(pause(OrdersSimulation::pauseBeforeTry))),
					exec((session) -> session.set(ORDER, supply.take())));
	}

	private static Session answered(Session session, OrderSupply supply) {
		if (isTaken(session)) {
			supply.accepted(session.getInt(ORDER), session.getLong(DUE));
			return session.set(AGAIN, false);
		}
		int tries = session.getInt(TRIES) + 1;
		return session.markAsSucceeded()
			.set(TRIES, tries)
			.set(AGAIN, supply.failed(session.getInt(ORDER), session.getLong(DUE), tries));
	}

	/** Not {@code session.isFailed()}: a silent request that fails does not set it. */
	private static boolean isTaken(Session session) {
		int status = session.getInt(STATUS);
		return status == 201 || status == 202;
	}

	private static boolean isProblem(Response response) {
		return response.headers().contains("Content-Type", "application/problem+json", true);
	}

	private static Duration pauseBeforeTry(Session session) {
		return Duration
			.ofMillis(OrderSupply.pauseMillis(session.getInt(TRIES), ThreadLocalRandom.current().nextDouble()));
	}

	private static ChainBuilder order(Phase phase, OrderSupply supply) {
		boolean silent = !phase.measured();
		ChainBuilder sync = exec(order(phase.name(), Mode.SYNC, supply, phase.client(), silent));
		ChainBuilder queued = exec(order(phase.name(), Mode.QUEUED, supply, phase.client(), silent));
		List<Mode> modes = supply.modes();
		if (modes.size() == 1) {
			return (modes.getFirst() == Mode.SYNC) ? sync : queued;
		}
		return doIfOrElse((Session session) -> supply.mode(session.getInt(ORDER)) == Mode.SYNC).then(sync)
			.orElse(queued);
	}

	private static HttpRequestActionBuilder order(String name, Mode mode, OrderSupply supply, Client client,
			boolean silent) {
		HttpRequestActionBuilder order = http(name).post((session) -> supply.url(session.getInt(ORDER)))
			.header(HttpNames.IDEMPOTENCY_KEY, (session) -> supply.key(session.getInt(ORDER)))
			.body(StringBody((session) -> supply.body(session.getInt(ORDER))))
			.requestTimeout(CALL_TIMEOUT)
			.check(status().saveAs(STATUS))
			.checkIf((response, _) -> !isProblem(response))
			.then(status().in(201, 202))
			// The failure in the log then has the problem's type.
			.checkIf((response, _) -> isProblem(response))
			.then(jmesPath(PROBLEM).is("201 or 202"));
		if (!client.keepsConnections()) {
			order = order.header("Connection", "close");
		}
		if (silent) {
			order = order.silent();
		}
		return switch (mode) {
			case SYNC -> order;
			case QUEUED -> order.header(HttpNames.PREFER, HttpNames.RESPOND_ASYNC);
		};
	}

	private ChainBuilder drain(Phase phase, OrderSupply supply, Supplier<List<WarmUpWindow>> windows) {
		return exec((session) -> session.set(SAVED, 0L)).exec(count())
			.asLongAs((session) -> !supply.isSaved(session.getLong(SAVED)) && !supply.isOver())
			.on(count(), pause(POLL))
			.exec((session) -> {
				supply.ended(session.getLong(SAVED));
				return session;
			})
			.doIf((_) -> phase.writesOutcome())
			.then(exec((session) -> session.set(STATUS, 0)),
					http(AUDIT).get(backend("/audit"))
						.silent()
						.check(status().saveAs(STATUS), bodyString().saveAs(AUDIT)),
					exec(exitUnless(200, "The backend at " + this.plan.backend() + " did not return its audit")),
					doIf((_) -> phase.measured())
						.then(http(ORDERS).get(backend("/audit/orders")).silent().check(bodyBytes().saveAs(ORDERS))),
					exec((session) -> {
						write(phase, supply, session, windows.get());
						return session;
					}));
	}

	private ChainBuilder count() {
		return exec(
				http("count").get(backend("/orders/count")).silent().check(jsonPath("$.saved").ofLong().saveAs(SAVED)));
	}

	private ChainBuilder behave(BackendBehaviour behaviour) {
		return exec(http("behave").put(backend("/behaviour"))
			.body(StringBody(this.json.writeValueAsString(behaviour)))
			.silent()
			.check(status().in(200, 204)));
	}

	private static ChainBuilder exitUnless(int status, String message) {
		return doIf((session) -> session.getInt(STATUS) != status).then(stopLoadGenerator(message));
	}

	private void write(Phase phase, OrderSupply supply, Session session, List<WarmUpWindow> windows) {
		String audit = Objects.requireNonNull(session.getString(AUDIT), "No audit was read");
		PhaseOutcome outcome = new PhaseOutcome(phase.name(), supply.placedCount(), supply.acceptedCount(),
				supply.givenUpCount(), Instant.now(), this.json.readValue(audit, BackendAudit.class),
				supply.startLagP99Millis(), windows);
		Path file = this.plan.results().resolve(phase.name() + ".json");
		try {
			Path unfinished = Files.write(this.plan.results().resolve(phase.name() + ".tmp"),
					this.json.writeValueAsBytes(outcome));
			if (phase.measured()) {
				supply.times(savedMicros(session)).write(OrderTimes.file(this.plan.results(), phase.name()));
			}
			Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Cannot write " + file, ex);
		}
	}

	/** Reads the backend's export: 24 bytes an order. */
	private static Map<UUID, Long> savedMicros(Session session) {
		ByteBuffer bytes = ByteBuffer.wrap(Objects.requireNonNull(session.get(ORDERS), "No orders were read"));
		Map<UUID, Long> micros = new HashMap<>();
		while (bytes.remaining() >= 3 * Long.BYTES) {
			micros.put(new UUID(bytes.getLong(), bytes.getLong()), bytes.getLong());
		}
		return micros;
	}

	private String backend(String path) {
		return this.plan.backend().resolve(path).toString();
	}

	private static boolean isOver(Session session) {
		return System.nanoTime() - session.getLong(UNTIL) >= 0;
	}

}
