package dev.sluice.backend.http;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import dev.sluice.contract.BackendBehaviour;
import dev.sluice.contract.BackendBehaviour.Capacity;
import dev.sluice.contract.BackendBehaviour.Delay;
import jakarta.validation.Validator;

/** Validates a behaviour: each field, and the relations between fields. */
public final class BehaviourRules {

	private static final int MIN_ERROR = 400;

	private final Validator validator;

	public BehaviourRules(Validator validator) {
		this.validator = validator;
	}

	/**
	 * @return the violations by field; empty if the behaviour is valid
	 */
	List<JsonProblem> check(BackendBehaviour behaviour) {
		List<JsonProblem> errors = new ArrayList<>();
		this.validator.validate(behaviour)
			.forEach((violation) -> errors
				.add(new JsonProblem(violation.getPropertyPath().toString(), violation.getMessage())));
		if (errors.isEmpty()) {
			checkRelations(behaviour, errors);
		}
		errors.sort(Comparator.comparing(JsonProblem::field).thenComparing(JsonProblem::message));
		return errors;
	}

	private void checkRelations(BackendBehaviour behaviour, List<JsonProblem> errors) {
		if (behaviour.errorRate() + behaviour.hangRate() + behaviour.resetRate() > 1) {
			errors.add(new JsonProblem("errorRate", "errorRate, hangRate and resetRate must not exceed 1 together"));
		}
		for (int i = 0; i < behaviour.specials().size(); i++) {
			int status = behaviour.specials().get(i).status();
			if (status != 0 && status < MIN_ERROR) {
				errors.add(new JsonProblem("specials[%s].status".formatted(i), "must be 0, or 400 to 599"));
			}
		}
		switch (behaviour.delay()) {
			case Delay.Fixed _ -> {
			}
			case Delay.Uniform(long min, long max) -> {
				if (min > max) {
					errors.add(new JsonProblem("delay.minMillis", "must not be greater than maxMillis"));
				}
			}
			case Delay.LogNormal(double median, double p99) -> {
				// Negated, so that NaN does not pass.
				if (!(median <= p99)) {
					errors.add(new JsonProblem("delay.medianMillis", "must not be greater than p99Millis"));
				}
			}
		}
		if (behaviour.capacity() instanceof Capacity.Starved(int initial, double _, int max, int _) && initial > max) {
			errors.add(new JsonProblem("capacity.initialWorkers", "must not be greater than maxWorkers"));
		}
	}

}
