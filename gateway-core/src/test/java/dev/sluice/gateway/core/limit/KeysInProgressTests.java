package dev.sluice.gateway.core.limit;

import java.util.UUID;

import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.metrics.GatewayMetric;
import dev.sluice.gateway.core.problem.ProblemException;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

class KeysInProgressTests {

	private static final UUID ID = UUID.randomUUID();

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final KeysInProgress keys = new KeysInProgress(this.meters);

	@Test
	void refusesAnOrderThatIsInProgress() {
		this.keys.begin(ID);

		assertThat(refusal(ID)).isEqualTo(ProblemType.IN_PROGRESS);
		assertThat(inProgress()).isEqualTo(1);
	}

	@Test
	void takesAnOrderAgainWhenItsWorkHasEnded() {
		this.keys.begin(ID).close();
		assertThat(inProgress()).isZero();

		this.keys.begin(ID);

		assertThat(inProgress()).isEqualTo(1);
	}

	private ProblemType refusal(UUID id) {
		return catchThrowableOfType(ProblemException.class, () -> this.keys.begin(id)).type();
	}

	private double inProgress() {
		return this.meters.get(GatewayMetric.KEYS_IN_PROGRESS.metricName()).gauge().value();
	}

}
