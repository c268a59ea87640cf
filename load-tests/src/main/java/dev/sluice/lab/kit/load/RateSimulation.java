package dev.sluice.lab.kit.load;

import io.gatling.javaapi.core.Simulation;

import static io.gatling.javaapi.core.CoreDsl.constantUsersPerSec;
import static io.gatling.javaapi.core.CoreDsl.scenario;
import static io.gatling.javaapi.http.HttpDsl.http;

/**
 * Gatling alone, by the clock: a GET for each new user.
 * {@code load-tests/scripts/freeze.sh} holds what Gatling reports of a frozen server
 * against other load generators. Takes {@code uri}, {@code rate} (users a second) and
 * {@code seconds}.
 */
public final class RateSimulation extends Simulation {

	public RateSimulation() {
		setUp(scenario("rate").exec(http("get").get(System.getProperty("uri")))
			.injectOpen(constantUsersPerSec(Integer.getInteger("rate", 500)).during(Integer.getInteger("seconds", 10))))
			.protocols(http.shareConnections().disableWarmUp());
	}

}
