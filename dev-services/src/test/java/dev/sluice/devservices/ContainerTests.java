package dev.sluice.devservices;

import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.command.StartContainerCmd;
import com.github.dockerjava.api.exception.ConflictException;
import com.github.dockerjava.api.exception.InternalServerErrorException;
import com.github.dockerjava.api.exception.NotModifiedException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.testcontainers.containers.ContainerLaunchException;
import org.testcontainers.containers.GenericContainer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.doNothing;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

/** Containers whose engine fails. */
class ContainerTests {

	private static final String REFUSAL = "OCI runtime pause failed: unable to freeze: unknown";

	private final GenericContainer<?> fake = mock();

	@BeforeEach
	void runs() {
		when(this.fake.getHost()).thenReturn("localhost");
		when(this.fake.isRunning()).thenReturn(true);
	}

	@Test
	void saysWhyItDoesNotStart() {
		doThrow(new ContainerLaunchException("the engine is slow")).when(this.fake).start();
		try (Container container = container(() -> true)) {
			assertThatExceptionOfType(StartFailedException.class).isThrownBy(container::start)
				.withMessage("Kafka does not start in a container: the engine is slow");
		}
	}

	/** An interrupt closes the connection to the engine. */
	@Test
	void isStoppedThoughItsThreadIsInterrupted() {
		AtomicBoolean stopped = new AtomicBoolean();
		doAnswer((_) -> {
			stopped.set(!Thread.currentThread().isInterrupted());
			return null;
		}).when(this.fake).stop();
		Thread.currentThread().interrupt();
		try (Container container = container(() -> false)) {
			assertThatExceptionOfType(StartFailedException.class).isThrownBy(container::start)
				.withMessageContaining("interrupted");
		}

		assertThat(Thread.interrupted()).isTrue();
		assertThat(stopped).isTrue();
	}

	/** The engine refuses to start a container that runs. */
	@Test
	void isStartedAgainAfterARestartThatFailed() {
		DockerClient engine = mock();
		StartContainerCmd starting = mock();
		when(this.fake.getContainerId()).thenReturn(null, "id");
		when(this.fake.getDockerClient()).thenReturn(engine);
		when(engine.startContainerCmd("id")).thenReturn(starting);
		doNothing().doThrow(new NotModifiedException("it runs", null)).when(starting).exec();
		AtomicBoolean serves = new AtomicBoolean(true);
		try (Container container = container(serves::get)) {
			container.start();
			serves.set(false);
			Thread.currentThread().interrupt();
			assertThatExceptionOfType(StartFailedException.class).isThrownBy(container::start)
				.withMessageContaining("interrupted");
			assertThat(Thread.interrupted()).isTrue();

			serves.set(true);
			container.start();

			verify(starting, times(2)).exec();
		}
	}

	/**
	 * In a container whose only process writes and calls fsync, runc failed 20 of 60
	 * freezes. What does not run is not asked again.
	 */
	@Test
	void processThatWaitsForItsDiskIsFrozenLater() {
		Iterator<RuntimeException> answers = List
			.<RuntimeException>of(new InternalServerErrorException(REFUSAL, null),
					new InternalServerErrorException(REFUSAL, null),
					new ConflictException("Container is not running", null))
			.iterator();

		assertThatExceptionOfType(ConflictException.class)
			.isThrownBy(() -> Container.requireFrozen("postgres", Duration.ofMinutes(1), () -> {
				throw answers.next();
			}));

		assertThat(answers).isExhausted();
	}

	@Test
	void engineThatNeverFreezesIsToldOf() {
		assertThatIllegalStateException().isThrownBy(() -> Container.requireFrozen("postgres", Duration.ZERO, () -> {
			throw new InternalServerErrorException(REFUSAL, null);
		})).withMessageStartingWith("postgres could not be frozen in 0 s").withMessageContaining(REFUSAL);
	}

	private Container container(BooleanSupplier serves) {
		return new Container("Kafka", this.fake, 9092, Ports.free()) {

			@Override
			boolean serves() {
				return serves.getAsBoolean();
			}

		};
	}

}
