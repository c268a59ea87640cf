package dev.sluice.lab.kit.stack;

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import dev.sluice.devservices.JavaProcess;
import dev.sluice.lab.NoProcessLeft;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@ExtendWith(NoProcessLeft.class)
class ServiceIT {

	private static final URI NOWHERE = URI.create("http://127.0.0.1:1");

	@TempDir
	private Path directory;

	@Test
	void knowsThatItEndedForLackOfMemory() {
		try (Service service = service(Hoarder.class)) {
			awaitEnd(service);

			assertThat(service.ranOutOfMemory()).isTrue();
		}
	}

	@Test
	void takesNoOtherEndForLackOfMemory() {
		try (Service service = service(Failing.class)) {
			awaitEnd(service);

			assertThat(service.ranOutOfMemory()).isFalse();
		}
	}

	private static void awaitEnd(Service service) {
		await().until(() -> !service.isAlive());
	}

	private Service service(Class<?> main) {
		List<String> jvmArgs = new ArrayList<>(Stack.JVM_ARGS);
		jvmArgs.addAll(List.of("-Xms16m", "-Xmx16m"));
		return new Service("any", NOWHERE, NOWHERE,
				JavaProcess.mainClass(main.getName())
					.jvmArgs(jvmArgs)
					.logFile(this.directory.resolve("any.log"))
					.launch());
	}

	/** Keeps all it allocates. */
	static final class Hoarder {

		public static void main(String[] args) {
			List<byte[]> kept = new ArrayList<>();
			while (true) {
				kept.add(new byte[1 << 20]);
			}
		}

	}

	/** Ends with the same exit code. */
	static final class Failing {

		public static void main(String[] args) {
			System.exit(3);
		}

	}

}
