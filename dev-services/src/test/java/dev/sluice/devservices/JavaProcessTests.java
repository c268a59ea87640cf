package dev.sluice.devservices;

import java.nio.file.Path;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** What needs no process. {@code JavaProcessIT} in foundation-tests starts some. */
class JavaProcessTests {

	@TempDir
	private Path directory;

	@Test
	void namesTheJarThatIsMissing() {
		assertThatExceptionOfType(StartFailedException.class)
			.isThrownBy(() -> JavaProcess.jar(this.directory.resolve("absent.jar")))
			.withMessageContaining("absent.jar is missing")
			.withMessageContaining("mvn");
	}

	@Test
	void namesWhatEachJvmTakesFromTheEnvironment() {
		assertThat(JavaProcess.inheritedOptions(Map.of("PATH", "/bin", "JAVA_TOOL_OPTIONS", " "))).isEmpty();
		assertThat(JavaProcess.inheritedOptions(Map.of("JDK_JAVA_OPTIONS", "-Xa -Xb", "JAVA_TOOL_OPTIONS", "-Xc")))
			.isEqualTo("JAVA_TOOL_OPTIONS=-Xc JDK_JAVA_OPTIONS=-Xa -Xb");
	}

}
