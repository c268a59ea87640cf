package dev.sluice.devservices;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.command.PauseContainerCmd;
import com.github.dockerjava.api.command.StartContainerCmd;
import com.github.dockerjava.api.exception.InternalServerErrorException;
import com.github.dockerjava.api.exception.NotModifiedException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.testcontainers.containers.ContainerLaunchException;
import org.testcontainers.containers.GenericContainer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.doNothing;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

/** Containers whose engine fails. */
class ContainerTests {

	private final GenericContainer<?> fake = mock();

	private final DockerClient engine = mock();

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
		StartContainerCmd starting = mock();
		when(this.fake.getContainerId()).thenReturn(null, "id");
		when(this.fake.getDockerClient()).thenReturn(this.engine);
		when(this.engine.startContainerCmd("id")).thenReturn(starting);
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
	 * freezes.
	 */
	@Test
	void processThatWaitsForItsDiskIsFrozenLater() {
		PauseContainerCmd pause = mock();
		when(this.fake.getContainerId()).thenReturn("id");
		when(this.fake.getDockerClient()).thenReturn(this.engine);
		when(this.engine.pauseContainerCmd("id")).thenReturn(pause);
		RuntimeException refusal = new InternalServerErrorException("OCI runtime pause failed: unable to freeze", null);
		doThrow(refusal, refusal).doNothing().when(pause).exec();

		container(() -> true).freeze();

		verify(pause, times(3)).exec();
	}

	private Container container(BooleanSupplier serves) {
		return new Container("Kafka", this.fake, 9092, Ports.free(), serves);
	}

}
