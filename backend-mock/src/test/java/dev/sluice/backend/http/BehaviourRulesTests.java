package dev.sluice.backend.http;

import dev.sluice.contract.BackendBehaviour;
import dev.sluice.contract.BackendBehaviour.Capacity;
import dev.sluice.contract.BackendBehaviour.Delay;
import dev.sluice.contract.BackendBehaviour.Special;
import jakarta.validation.Validation;
import jakarta.validation.ValidatorFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class BehaviourRulesTests {

	private static ValidatorFactory validators;

	private final BehaviourRules rules = new BehaviourRules(validators.getValidator());

	@BeforeAll
	static void open() {
		validators = Validation.buildDefaultValidatorFactory();
	}

	@AfterAll
	static void close() {
		validators.close();
	}

	@Test
	void acceptsTheDefaultAndTheEdges() {
		assertAccepted(BackendBehaviour.DEFAULT);
		assertAccepted(BackendBehaviour.DEFAULT.withDelay(new Delay.Uniform(5, 5)));
		assertAccepted(BackendBehaviour.DEFAULT.withDelay(new Delay.LogNormal(5, 5)));
		assertAccepted(BackendBehaviour.DEFAULT.withDelay(new Delay.Fixed(600_000)));
		assertAccepted(BackendBehaviour.DEFAULT.withCapacity(new Capacity.Starved(3, 0.1, 3, 0)));
		assertAccepted(new BackendBehaviour(new Delay.Fixed(0), 0.5, 400, 0.25, 0.25, 0, new Capacity.Workers(1, 0)));
	}

	@Test
	void refusesWhatTheAnnotationsForbid() {
		assertRefused(BackendBehaviour.DEFAULT.withDelay(new Delay.Fixed(-1)), "delay.millis");
		assertRefused(BackendBehaviour.DEFAULT.withErrors(1.1, 500), "errorRate");
		assertRefused(BackendBehaviour.DEFAULT.withErrors(1, 200), "errorStatus");
		assertRefused(BackendBehaviour.DEFAULT.withCapacity(new Capacity.Workers(0, 1)), "capacity.workers");
		assertRefused(BackendBehaviour.DEFAULT.withCapacity(new Capacity.Starved(1, 0, 1, 1)),
				"capacity.growthPerSecond");
	}

	@Test
	void refusesFieldsThatDoNotFitTogether() {
		assertRefused(BackendBehaviour.DEFAULT.withDelay(new Delay.Uniform(6, 5)), "delay.minMillis");
		assertRefused(BackendBehaviour.DEFAULT.withDelay(new Delay.LogNormal(6, 5)), "delay.medianMillis");
		assertRefused(BackendBehaviour.DEFAULT.withDelay(new Delay.LogNormal(6, 600_001)), "delay.p99Millis");
		assertRefused(BackendBehaviour.DEFAULT.withCapacity(new Capacity.Starved(2, 1, 1, 1)),
				"capacity.initialWorkers");
		assertRefused(new BackendBehaviour(new Delay.Fixed(0), 0.5, 500, 0.3, 0.3, 0, new Capacity.Unlimited()),
				"errorRate");
	}

	@Test
	void refusesWhatHasNoBound() {
		assertRefused(BackendBehaviour.DEFAULT.withCapacity(new Capacity.Workers(1, Integer.MAX_VALUE)),
				"capacity.queue");
		assertRefused(
				BackendBehaviour.DEFAULT
					.withCapacity(new Capacity.Starved(1, Double.POSITIVE_INFINITY, 10, Integer.MAX_VALUE)),
				"capacity.growthPerSecond", "capacity.queue");
	}

	@Test
	void refusesARateThatIsNone() {
		assertAccepted(BackendBehaviour.DEFAULT.withCapacity(new Capacity.Rate(0.5, 1)));
		assertRefused(BackendBehaviour.DEFAULT.withCapacity(new Capacity.Rate(0, 0)), "capacity.burst",
				"capacity.perSecond");
		assertRefused(BackendBehaviour.DEFAULT.withCapacity(new Capacity.Rate(Double.POSITIVE_INFINITY, 1)),
				"capacity.perSecond");
	}

	@Test
	void refusesSpecialsThatAreNone() {
		assertAccepted(BackendBehaviour.DEFAULT.withSpecials(new Special("a", 0, 400), new Special("b", 1, 0)));
		assertRefused(BackendBehaviour.DEFAULT.withSpecials(new Special("", 0, 0)), "specials[0].customerPrefix");
		assertRefused(BackendBehaviour.DEFAULT.withSpecials(new Special("a", -1, 0)), "specials[0].delayMillis");
		assertRefused(BackendBehaviour.DEFAULT.withSpecials(new Special("a", 0, 200)), "specials[0].status");
	}

	private void assertAccepted(BackendBehaviour behaviour) {
		assertThat(this.rules.check(behaviour)).isEmpty();
	}

	private void assertRefused(BackendBehaviour behaviour, String... fields) {
		assertThat(this.rules.check(behaviour)).extracting(JsonProblem::field).containsExactly(fields);
	}

}
