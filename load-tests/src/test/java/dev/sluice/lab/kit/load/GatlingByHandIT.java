package dev.sluice.lab.kit.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import dev.sluice.devservices.Patience;
import dev.sluice.lab.NoProcessLeft;
import dev.sluice.lab.StubSystem;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** The simulation as {@code mvn gatling:test} runs it, without the lab. */
@ExtendWith(NoProcessLeft.class)
@Tag("full")
class GatlingByHandIT {

	private static final int MISSED = 2;

	@TempDir
	private Path directory;

	@Test
	void ordersThatAreAllAnsweredWellPass() throws Exception {
		try (StubSystem system = new StubSystem(0)) {
			assertThat(run(system, "-Dmax-p99=60000")).as(output()).isZero();
		}
	}

	@Test
	void aFailedCallFailsTheRunUnlessItIsAllowed() throws Exception {
		try (StubSystem system = new StubSystem(1)) {
			assertThat(run(system)).as(output()).isEqualTo(MISSED);
			assertThat(output()).contains("percentage of failed events is less than or equal to 0.0 : false");
		}
		try (StubSystem system = new StubSystem(1)) {
			assertThat(run(system, "-Dmax-failed=50")).as(output()).isZero();
		}
	}

	@Test
	void ordersAreAlsoPlacedOnSchedule() throws Exception {
		try (StubSystem system = new StubSystem(0)) {
			assertThat(run(system, "-Drate=50")).as(output()).isZero();
		}
	}

	private int run(StubSystem system, String... properties) throws IOException, InterruptedException {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
						"--add-opens=java.base/java.lang=ALL-UNNAMED", "-Xmx256m", "-XX:TieredStopAtLevel=1",
						"-Dlogback.configurationFile=lab-logback.xml", "-Dtargets=sync@" + system.url(), "-Dorders=20",
						"-Dusers=4"));
		command.addAll(List.of(properties));
		Stream
			.of("-cp", System.getProperty("java.class.path"), "io.gatling.app.Gatling", "--simulation",
					OrdersSimulation.class.getName(), "--results-folder", this.directory.resolve("gatling").toString(),
					"--no-reports")
			.forEach(command::add);
		Process gatling = new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(outputFile().toFile())
			.start();
		try {
			assertThat(gatling.waitFor(Patience.ofSeconds(120))).as("ended").isTrue();
			return gatling.exitValue();
		}
		finally {
			gatling.destroyForcibly();
		}
	}

	private Path outputFile() {
		return this.directory.resolve("output.txt");
	}

	private String output() throws IOException {
		return Files.readString(outputFile());
	}

}
