package dev.sluice.lab.kit.load;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

import dev.sluice.contract.HttpNames;
import dev.sluice.lab.kit.measure.OrderCalls.Call;
import dev.sluice.lab.kit.plan.Mode;
import io.gatling.javaapi.core.Assertion;
import io.gatling.javaapi.core.ChainBuilder;
import io.gatling.javaapi.core.Session;
import io.gatling.javaapi.core.Simulation;
import io.gatling.javaapi.http.HttpRequestActionBuilder;

import static io.gatling.javaapi.core.CoreDsl.StringBody;
import static io.gatling.javaapi.core.CoreDsl.asLongAs;
import static io.gatling.javaapi.core.CoreDsl.atOnceUsers;
import static io.gatling.javaapi.core.CoreDsl.doIf;
import static io.gatling.javaapi.core.CoreDsl.doIfOrElse;
import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.gatling.javaapi.core.CoreDsl.global;
import static io.gatling.javaapi.core.CoreDsl.jsonPath;
import static io.gatling.javaapi.core.CoreDsl.pause;
import static io.gatling.javaapi.core.CoreDsl.scenario;
import static io.gatling.javaapi.http.HttpDsl.http;
import static io.gatling.javaapi.http.HttpDsl.status;

/**
 * Users who each take an order, wait until it is due, place it, retry until it is
 * accepted, and take the next. Without {@code rate} an order is due when a user is free
 * (closed model); with it, on schedule (open model). The parameters are those of
 * {@link LoadParameters}.
 */
public final class OrdersSimulation extends Simulation {

	/** Time after which a call is given up and retried. */
	static final Duration CALL_TIMEOUT = Duration.ofSeconds(60);

	private final OrderSupply supply = LoadGenerator.begin();

	private final LoadParameters parameters = this.supply.parameters();

	public OrdersSimulation() {
		setUp(scenario("orders").exec(orders()).injectOpen(atOnceUsers(this.parameters.users()))).assertions(goals())
			.protocols(http.acceptHeader("application/json, application/problem+json")
				.contentTypeHeader("application/json")
				.shareConnections()
				.disableWarmUp());
	}

	private ChainBuilder orders() {
		ChainBuilder call = doIfOrElse((Session session) -> this.supply.mode(session.getInt("order")) == Mode.SYNC)
			.then(exec(order()))
			.orElse(exec(order().header(HttpNames.PREFER, HttpNames.RESPOND_ASYNC)));
		ChainBuilder untilAccepted = asLongAs((session) -> session.getBoolean("again")).on(
				exec((session) -> session.removeAll("status", "type").set("sent", this.supply.now())), call,
				exec(this::ended), doIf((session) -> session.getBoolean("again")).then(pause(this::pauseBeforeTry)));
		ChainBuilder take = exec((session) -> session.set("order", this.supply.take()));
		return take.asLongAs((session) -> session.getInt("order") != OrderSupply.NONE)
			.on(doIf((_) -> this.parameters.phase().client().perSecond() > 0)
				.then(pause((session) -> this.supply.untilDue(session.getInt("order")))),
					exec((session) -> session.set("due", this.supply.due(session.getInt("order")))
						.set("tries", 0)
						.set("again", true)),
					untilAccepted, take);
	}

	private HttpRequestActionBuilder order() {
		HttpRequestActionBuilder order = http(this.parameters.phase().name())
			.post((session) -> this.supply.url(session.getInt("order")))
			.header(HttpNames.IDEMPOTENCY_KEY, (session) -> this.supply.key(session.getInt("order")))
			.body(StringBody((session) -> this.supply.body(session.getInt("order"))))
			.requestTimeout(CALL_TIMEOUT)
			.check(status().saveAs("status"), status().in(201, 202))
			.checkIf((response, _) -> response.headers().contains("Content-Type", "application/problem+json", true))
			.then(jsonPath("$.type").optional().saveAs("type"));
		return this.parameters.phase().client().keepsConnections() ? order : order.header("Connection", "close");
	}

	private Session ended(Session session) {
		int tries = session.getInt("tries") + 1;
		Call call = new Call(session.getInt("order"), session.getLong("due"), session.getLong("sent"),
				this.supply.now(), Call.result(session.getIntegerWrapper("status"), session.getString("type")));
		return session.markAsSucceeded().set("tries", tries).set("again", this.supply.ended(call, tries));
	}

	private Duration pauseBeforeTry(Session session) {
		return Duration
			.ofMillis(OrderSupply.pauseMillis(session.getInt("tries"), ThreadLocalRandom.current().nextDouble()));
	}

	private List<Assertion> goals() {
		List<Assertion> goals = new ArrayList<>();
		if (this.parameters.maxFailed() < 100) {
			goals.add(global().successfulRequests().count().gt(0L));
			goals.add(global().failedRequests().percent().lte(this.parameters.maxFailed()));
		}
		if (this.parameters.maxP99() != null) {
			goals.add(global().responseTime().percentile(99).lte(this.parameters.maxP99()));
		}
		return goals;
	}

	@Override
	public void after() {
		try {
			this.supply.writeNotes();
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Cannot write the notes", ex);
		}
	}

}
