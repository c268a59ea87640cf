package dev.sluice.gateway.core.limit;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.config.GatewayProperties;
import dev.sluice.gateway.core.order.Mode;
import dev.sluice.gateway.core.problem.ProblemException;
import org.junit.jupiter.api.Test;
import org.springframework.http.HttpMethod;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

class ClientLimitTests {

	/** Near the largest number, where the sum of two times is negative. */
	private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1_000);

	@Test
	void letsTheBurstInAndThenOneAtATime() {
		ClientLimit limit = limit(2, 3);

		assertThat(allowed(limit, "c-1", 5)).isEqualTo(3);
		pass(Duration.ofMillis(499));
		assertThat(allowed(limit, "c-1", 1)).isZero();
		pass(Duration.ofMillis(1));
		assertThat(allowed(limit, "c-1", 5)).isEqualTo(1);
		pass(Duration.ofSeconds(1));
		assertThat(allowed(limit, "c-1", 5)).isEqualTo(2);
		pass(Duration.ofHours(1));
		assertThat(allowed(limit, "c-1", 5)).isEqualTo(3);
	}

	@Test
	void countsEachCustomerAlone() {
		ClientLimit limit = limit(1, 1);

		assertThat(allowed(limit, "c-1", 2)).isEqualTo(1);
		assertThat(allowed(limit, "c-2", 2)).isEqualTo(1);
	}

	@Test
	void saysWhenToComeAgain() {
		ClientLimit limit = limit(0.1, 1);
		limit.check("c-1");
		pass(Duration.ofSeconds(3));

		ProblemException problem = catchThrowableOfType(ProblemException.class, () -> limit.check("c-1"));

		assertThat(problem.type()).isEqualTo(ProblemType.TOO_MANY_REQUESTS);
		assertThat(problem.toResponse(HttpMethod.POST, "/orders").getHeaders().getFirst("Retry-After")).isEqualTo("7");
	}

	@Test
	void takesTheLeastLimitAndTheLargestBurst() {
		ClientLimit limit = limit(Double.MIN_VALUE, 1_000_000);

		assertThat(allowed(limit, "c-1", 3)).isEqualTo(2);
		pass(Duration.ofDays(1));
		assertThat(allowed(limit, "c-1", 1)).isZero();
	}

	@Test
	void limitsNobodyByDefault() {
		assertThat(allowed(limit(0, 1), "c-1", 1_000)).isEqualTo(1_000);
	}

	private void pass(Duration time) {
		this.nanos.addAndGet(time.toNanos());
	}

	private static int allowed(ClientLimit limit, String customer, int orders) {
		int allowed = 0;
		for (int i = 0; i < orders; i++) {
			if (catchThrowableOfType(ProblemException.class, () -> limit.check(customer)) == null) {
				allowed++;
			}
		}
		return allowed;
	}

	private ClientLimit limit(double perSecond, int burst) {
		return new ClientLimit(new GatewayProperties(Mode.SYNC, 1, Duration.ZERO, Duration.ZERO, 0, perSecond, burst,
				Duration.ZERO, Duration.ZERO), this.nanos::get);
	}

}
