package dev.sluice.lab.kit.measure;

import java.nio.file.Path;
import java.time.Instant;

import dev.sluice.devservices.JavaProcess;
import dev.sluice.lab.kit.cell.Window;
import dev.sluice.lab.kit.measure.GcLog.Pause;
import dev.sluice.lab.kit.stack.ServiceOptions;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The logs of real collectors. */
class GcLogIT {

	@TempDir
	private Path directory;

	@ParameterizedTest
	@ValueSource(strings = { "G1", "Serial", "Parallel", "Z" })
	void holdsThePausesOfAJvmThatIsKilled(String collector) throws Exception {
		Path file = this.directory.resolve("a run's gc.log");
		ServiceOptions options = GcLog.written(file,
				ServiceOptions.NONE.withJvmArgs("-XX:+Use%sGC".formatted(collector)));
		Instant start = Instant.now();

		try (JavaProcess process = JavaProcess.mainClass(Child.class.getName())
			.jvmArgs(options.jvmArgs())
			.logFile(this.directory.resolve("jvm.log"))
			.launch()) {
			await().until(() -> process.tail().contains("collected"));
			process.kill();
		}

		GcLog log = GcLog.read(file);
		assertThat(log.in(new Window(start, Instant.now()))).isNotEmpty()
			.hasSameSizeAs(log.pauses())
			.allMatch((pause) -> pause.millis() > 0);
		Pause first = log.pauses().getFirst();
		assertThat(log.in(new Window(start, first.start()))).as("it ends before the first").isEmpty();
	}

	static final class Child {

		private Child() {
		}

		public static void main(String[] args) throws Exception {
			System.gc();
			System.out.println("collected");
			Thread.currentThread().join();
		}

	}

}
