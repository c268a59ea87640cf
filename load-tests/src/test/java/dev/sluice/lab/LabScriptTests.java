package dev.sluice.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;

import javax.tools.ToolProvider;

import dev.sluice.devservices.Patience;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Runs the script {@code lab} in a checkout that is not built, with a fake Maven. */
class LabScriptTests {

	@TempDir
	private Path directory;

	@Test
	void saysHowFarTheBuildIsAndWhyItFailed() throws Exception {
		maven("""
				echo "[INFO] Building Sluice 0.1.0                      [1/4]"
				echo "[INFO] Building order-contract 0.1.0              [2/4]"
				echo "[INFO] Compiling 12 source files"
				echo "[INFO] Building gateway-core 0.1.0                [4/4]"
				echo "[ERROR] Failed to execute goal: no such class"
				exit 1
				""");

		assertThat(lab()).isOne();

		assertThat(messages()).startsWith("lab: building, as ")
			.containsPattern("lab: 0 % · building Sluice 0.1.0\\n")
			.containsPattern("lab: 25 %, about \\d+ s left · building order-contract 0.1.0\\n")
			.containsPattern("lab: 75 %, about \\d+ s left · building gateway-core 0.1.0\\n")
			.doesNotContain("Compiling")
			.endsWith("[ERROR] Failed to execute goal: no such class\nlab: the build failed, see above\n");
	}

	@Test
	void showsTheEndOfABuildThatFailedWithoutAnError() throws Exception {
		maven("echo 'Killed'; exit 137");

		assertThat(lab()).isOne();

		assertThat(messages()).endsWith("Killed\nlab: the build failed, see above\n");
	}

	/** Maven goes on when the second one waits. */
	@Test
	void twoAtOnceBuildOnce() throws Exception {
		maven("""
				echo build >> builds
				until grep -q 'waiting for another lab' messages; do sleep 0.1; done
				for module in order-contract kafka-topics dev-services gateway-core gateway-servlet gateway-reactive \
				    order-consumer backend-mock grpc-sink load-tests; do mkdir -p $module/target; done
				""");

		run(List.of("bash", "-c", "bash lab doctor & bash lab doctor; wait"), Map.of());

		assertThat(this.directory.resolve("builds")).content().isEqualTo("build\n");
	}

	@Test
	void refusesASecondGarbageCollector() throws Exception {
		maven("exit 1");

		assertThat(lab(Map.of("JAVA_TOOL_OPTIONS", "-Xint -XX:+UseZGC"))).isOne();

		assertThat(messages()).startsWith("lab: JAVA_TOOL_OPTIONS selects a garbage collector").hasLineCount(1);
	}

	@Test
	void refusesAFolderThatCannotBeOnAClassPath() throws Exception {
		maven("exit 1");

		assertThat(run(List.of("bash", "-c", "mkdir a:b; cp lab a:b; exec bash a:b/lab doctor"), Map.of())).isOne();

		assertThat(messages()).startsWith("lab: a class path separates its folders by colons").hasLineCount(1);
	}

	@Test
	void startsInAnyLocaleFromAnyFolder() throws Exception {
		maven("exit 1");
		Path source = Files.writeString(this.directory.resolve("Lab.java"),
				"package dev.sluice.lab; class Lab { public static void main(String[] a) { System.exit(7); } }");
		Path target = Files.createDirectories(this.directory.resolve("load-tests/target"));
		assertThat(ToolProvider.getSystemJavaCompiler()
			.run(null, null, null, "-d", this.directory.resolve("BOOT-INF/classes").toString(), source.toString()))
			.isZero();
		assertThat(java.util.spi.ToolProvider.findFirst("jar")
			.orElseThrow()
			.run(System.out, System.err, "-cf", target.resolve("load-tests.jar").toString(), "-C",
					this.directory.toString(), "BOOT-INF"))
			.isZero();
		// Java cannot make the folder if this JVM has no UTF-8 either.
		String start = "d=$(printf 'sl\\303\\274ice'); mkdir $d; cp -pR lab load-tests $d; exec bash $d/lab doctor";

		assertThat(run(List.of("bash", "-c", start), Map.of("LC_ALL", "C"))).isEqualTo(7);
	}

	private void maven(String script) throws IOException {
		Path bin = Files.createDirectories(this.directory.resolve("bin"));
		Path mvn = Files.createFile(bin.resolve("mvn"),
				PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
		Files.writeString(mvn, "#!/bin/sh\n" + script);
		Files.copy(Path.of("../lab"), this.directory.resolve("lab"));
	}

	private int lab() throws IOException, InterruptedException {
		return lab(Map.of());
	}

	private int lab(Map<String, String> environment) throws IOException, InterruptedException {
		return run(List.of("bash", this.directory.resolve("lab").toString(), "doctor"), environment);
	}

	private int run(List<String> command, Map<String, String> environment) throws IOException, InterruptedException {
		ProcessBuilder builder = new ProcessBuilder(command).directory(this.directory.toFile())
			.redirectOutput(ProcessBuilder.Redirect.DISCARD)
			.redirectError(this.directory.resolve("messages").toFile());
		builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
		builder.environment().put("PATH", "%s:%s".formatted(this.directory.resolve("bin"), System.getenv("PATH")));
		builder.environment().putAll(environment);
		Process lab = builder.start();
		assertThat(lab.waitFor(Patience.ofSeconds(60))).as("ended").isTrue();
		return lab.exitValue();
	}

	private String messages() throws IOException {
		return Files.readString(this.directory.resolve("messages"));
	}

}
