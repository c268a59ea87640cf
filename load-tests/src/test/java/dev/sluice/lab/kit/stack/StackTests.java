package dev.sluice.lab.kit.stack;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import dev.sluice.devservices.Infrastructure;
import dev.sluice.devservices.StartFailedException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class StackTests {

	@TempDir
	private Path directory;

	@Test
	void addsTheOffsetToEveryDocumentedPort() {
		try (Stack stack = stack(StackOptions.DEFAULT.withFixedPorts(1000))) {
			Stack.defaultPorts().forEach((name, port) -> assertThat(stack.ports()).containsEntry(name, port + 1000));
			assertThat(stack.uri(Module.GATEWAY_SERVLET)).hasToString("http://127.0.0.1:9080");
		}
	}

	@Test
	void namesTheJarThatIsMissing() {
		try (Stack stack = stack(StackOptions.DEFAULT)) {
			assertThatExceptionOfType(StartFailedException.class)
				.isThrownBy(() -> stack.startBackend(ServiceOptions.NONE))
				.withMessageContaining("backend-mock.jar is missing");
		}
	}

	@Test
	void failureOfOneTaskEndsTheOthers() {
		assertThatExceptionOfType(LabException.class).isThrownBy(() -> Stack.inParallel(List.of(() -> {
			Thread.sleep(600_000);
			return 1;
		}, () -> {
			throw new LabException("no");
		}))).withMessage("no");
	}

	@Test
	void servicesCompileAsInTheImages() throws IOException {
		assertThat(Files.readAllLines(Path.of("../docker/jvm"))).filteredOn((line) -> line.startsWith("-"))
			.isNotEmpty()
			.isSubsetOf(StackOptions.DEFAULT.jvmArgs());
	}

	private Stack stack(StackOptions options) {
		return new Stack(new Workspace(this.directory), Infrastructure.EMBEDDED, this.directory, options);
	}

}
