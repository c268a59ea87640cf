package dev.sluice.lab.sink;

import java.nio.file.Path;
import java.time.Duration;

import dev.sluice.devservices.JavaCommand;
import dev.sluice.devservices.JavaProcess;
import dev.sluice.lab.NoProcessLeft;
import dev.sluice.lab.kit.stack.LabException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@ExtendWith(NoProcessLeft.class)
class SinkExperimentIT {

	private static final Duration LONG = Duration.ofMinutes(30);

	@TempDir
	private Path directory;

	@Test
	void waitsForNoClientWhoseSinkIsGone() {
		try (JavaProcess client = waiting("client"); JavaProcess sink = waiting("sink")) {
			sink.kill();

			assertThatExceptionOfType(LabException.class)
				.isThrownBy(() -> SinkExperiment.await(client, sink.handle(), LONG))
				.withMessageContaining("The sink has ended");
		}
	}

	@Test
	void waitsForNoClientLongerThanItMay() {
		try (JavaProcess client = waiting("client")) {
			assertThatExceptionOfType(LabException.class)
				.isThrownBy(() -> SinkExperiment.await(client, null, Duration.ofMillis(1)))
				.withMessageContaining("client.log");
		}
	}

	private JavaProcess waiting(String name) {
		return JavaCommand.mainClass(Waiting.class.getName()).logFile(this.directory.resolve(name + ".log")).launch();
	}

	/** Waits until it is killed. */
	static final class Waiting {

		private Waiting() {
		}

		public static void main(String[] args) throws InterruptedException {
			Thread.sleep(LONG);
		}

	}

}
