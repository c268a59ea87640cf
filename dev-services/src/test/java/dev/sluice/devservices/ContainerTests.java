package dev.sluice.devservices;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

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

	/** One slow start failed each later one of the same JVM. */
	@Test
	void isMadeAnewAfterAStartThatFailed() {
		List<FakeContainer> made = new ArrayList<>();
		try (Container container = container(() -> {
			FakeContainer next = new FakeContainer();
			next.failure = made.isEmpty() ? new ContainerLaunchException("the engine is slow") : null;
			made.add(next);
			return next;
		}, () -> true)) {
			assertThatExceptionOfType(StartFailedException.class).isThrownBy(container::start)
				.withMessage("Kafka does not start in a container: the engine is slow");
			assertThat(made.getFirst().stops).isEqualTo(1);

			container.start();

			assertThat(made).hasSize(2);
			assertThat(made.get(1).stops).isZero();
		}
	}

	@Test
	void whyItDoesNotStartIsToldThoughItCannotBeStopped() {
		FakeContainer fake = new FakeContainer();
		fake.failure = new ContainerLaunchException("the engine is slow");
		fake.stopFailure = new InternalServerErrorException("cannot stop", null);
		try (Container container = container(() -> fake, () -> true)) {
			assertThatExceptionOfType(StartFailedException.class).isThrownBy(container::start)
				.withMessageContaining("the engine is slow")
				.satisfies((ex) -> assertThat(ex.getCause()).hasSuppressedException(fake.stopFailure));
		}
	}

	/** An interrupt closes the connection to the engine. */
	@Test
	void isStoppedThoughItsStartIsInterrupted() {
		FakeContainer fake = new FakeContainer();
		try (Container container = container(() -> fake, () -> false)) {
			Thread.currentThread().interrupt();

			assertThatExceptionOfType(StartFailedException.class).isThrownBy(container::start)
				.withMessageContaining("interrupted");
			assertThat(Thread.interrupted()).isTrue();
			assertThat(fake.stops).isEqualTo(1);
		}
	}

	/** The engine refuses to start a container that runs. */
	@Test
	void isStartedAgainAfterARestartThatFailed() {
		FakeContainer fake = new FakeContainer();
		AtomicBoolean serves = new AtomicBoolean();
		try (Container container = container(() -> fake, serves::get)) {
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
	 * freezes.
	 */
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

	private static Container container(Supplier<FakeContainer> factory, BooleanSupplier serves) {
		return new Container("Kafka", 9092, 0) {

			@Override
			GenericContainer<?> create(int port) {
				return factory.get();
			}

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

		private RuntimeException stopFailure;

		private int stops;

		FakeContainer() {
			super("absent:1");
			when(this.engine.startContainerCmd("id")).thenReturn(this.starting);
		}

		@Override
		public void start() {
			if (this.failure != null) {
				throw this.failure;
			}
		}

		@Override
		public void stop() {
			if (Thread.currentThread().isInterrupted()) {
				return;
			}
			this.stops++;
			if (this.stopFailure != null) {
				throw this.stopFailure;
			}
		}

		@Override
		public String getHost() {
			return "localhost";
		}

		@Override
		public String getContainerId() {
			return "id";
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
