package dev.sluice.devservices;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import com.github.dockerjava.api.exception.ConflictException;
import com.github.dockerjava.api.exception.InternalServerErrorException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Freezes that the engine fails to do. In a container whose only process writes and calls
 * fsync, runc failed 20 of 60.
 */
class ContainerTests {

	private static final String REFUSAL = "OCI runtime pause failed: unable to freeze: unknown";

	@Test
	void processThatWaitsForItsDiskIsFrozenLater() {
		AtomicInteger attempts = new AtomicInteger();

		Container.requireFrozen("postgres", Duration.ofMinutes(1), () -> {
			if (attempts.incrementAndGet() < 3) {
				throw new InternalServerErrorException(REFUSAL, null);
			}
		});

		assertThat(attempts).hasValue(3);
	}

	@Test
	void engineThatNeverFreezesIsToldOf() {
		assertThatIllegalStateException().isThrownBy(() -> Container.requireFrozen("postgres", Duration.ZERO, () -> {
			throw new InternalServerErrorException(REFUSAL, null);
		})).withMessageStartingWith("postgres could not be frozen in 0 s").withMessageContaining(REFUSAL);
	}

	@Test
	void whatDoesNotRunIsNotAskedAgain() {
		AtomicInteger attempts = new AtomicInteger();

		assertThatExceptionOfType(ConflictException.class)
			.isThrownBy(() -> Container.requireFrozen("postgres", Duration.ofMinutes(1), () -> {
				attempts.incrementAndGet();
				throw new ConflictException("Container is not running", null);
			}));

		assertThat(attempts).hasValue(1);
	}

}
