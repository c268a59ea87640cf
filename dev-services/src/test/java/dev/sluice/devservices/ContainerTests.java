package dev.sluice.devservices;

import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.command.StartContainerCmd;
import com.github.dockerjava.api.exception.ConflictException;
import com.github.dockerjava.api.exception.InternalServerErrorException;
import com.github.dockerjava.api.exception.NotModifiedException;
import org.junit.jupiter.api.Test;
import org.testcontainers.containers.ContainerLaunchException;
import org.testcontainers.containers.GenericContainer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.mockito.Mockito.doNothing;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

/** Containers whose engine fails. */
class ContainerTests {

	private static final String REFUSAL = "OCI runtime pause failed: unable to freeze: unknown";

	@Test
	void saysWhyItDoesNotStart() {
		FakeContainer fake = new FakeContainer();
		fake.failure = new ContainerLaunchException("the engine is slow");
		try (Container container = container(fake, () -> true)) {
			assertThatExceptionOfType(StartFailedException.class).isThrownBy(container::start)
				.withMessage("Kafka does not start in a container: the engine is slow");
		}
	}

	/** An interrupt closes the connection to the engine. */
	@Test
	void isStoppedThoughItsThreadIsInterrupted() {
		FakeContainer fake = new FakeContainer();
		Thread.currentThread().interrupt();
		try (Container container = container(fake, () -> false)) {
			assertThatExceptionOfType(StartFailedException.class).isThrownBy(container::start)
				.withMessageContaining("interrupted");
		}

		assertThat(Thread.interrupted()).isTrue();
		assertThat(fake.stops).hasValue(1);
	}

	/** The engine refuses to start a container that runs. */
	@Test
	void isStartedAgainAfterARestartThatFailed() {
		FakeContainer fake = new FakeContainer();
		AtomicBoolean serves = new AtomicBoolean();
		try (Container container = container(fake, serves::get)) {
			serves.set(true);
			container.start();
			serves.set(false);
			doNothing().doThrow(new NotModifiedException("it runs", null)).when(fake.starting).exec();
			Thread.currentThread().interrupt();
			assertThatExceptionOfType(StartFailedException.class).isThrownBy(container::start)
				.withMessageContaining("interrupted");
			assertThat(Thread.interrupted()).isTrue();

			serves.set(true);
			container.start();

			verify(fake.starting, times(2)).exec();
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

	private static Container container(FakeContainer fake, BooleanSupplier serves) {
		return new Container("Kafka", fake, 9092, Ports.free()) {

			@Override
			boolean serves() {
				return serves.getAsBoolean();
			}

		};
	}

	/** Calls no engine. */
	private static final class FakeContainer extends GenericContainer {

		private final DockerClient engine = mock(DockerClient.class);

		private final StartContainerCmd starting = mock(StartContainerCmd.class);

		private RuntimeException failure;

		private final AtomicInteger stops = new AtomicInteger();

		private String id;

		FakeContainer() {
			super("absent:1");
			when(this.engine.startContainerCmd("id")).thenReturn(this.starting);
		}

		@Override
		public void start() {
			if (this.failure != null) {
				throw this.failure;
			}
			this.id = "id";
		}

		@Override
		public void stop() {
			if (!Thread.currentThread().isInterrupted()) {
				this.stops.incrementAndGet();
			}
		}

		@Override
		public String getHost() {
			return "localhost";
		}

		@Override
		public String getContainerId() {
			return this.id;
		}

		@Override
		public boolean isRunning() {
			return true;
		}

		@Override
		public DockerClient getDockerClient() {
			return this.engine;
		}

	}

}
