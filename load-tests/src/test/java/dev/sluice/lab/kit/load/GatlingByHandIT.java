package dev.sluice.lab.kit.load;

import java.nio.file.Files;
import java.nio.file.Path;

import dev.sluice.devservices.Patience;
import dev.sluice.lab.NoProcessLeft;
import dev.sluice.lab.StubSystem;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The simulation as {@code mvn gatling:test} runs it, without the lab. */
@ExtendWith(NoProcessLeft.class)
@Tag("full")
class GatlingByHandIT {

	@TempDir
	private Path directory;

	/**
	 * Calls that fail for each order before one succeeds; what is allowed; the exit code.
	 */
	@ParameterizedTest
	@CsvSource({ "0, -Dmax-p99=60000, 0", "0, -Drate=50, 0", "1, -Dmax-failed=0, 2", "1, -Dmax-failed=50, 0" })
	void ordersPassThatAreAnsweredAsWellAsTheyMust(int failures, String property, int exit) throws Exception {
		Path output = this.directory.resolve("output.txt");
		try (StubSystem system = new StubSystem(failures)) {
			Process gatling = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
					"--add-opens=java.base/java.lang=ALL-UNNAMED", "-Xmx256m", "-XX:TieredStopAtLevel=1",
					"-Dlogback.configurationFile=lab-logback.xml", "-Dtargets=sync@" + system.url(), "-Dorders=20",
					"-Dusers=4", property, "-cp", System.getProperty("java.class.path"), "io.gatling.app.Gatling",
					"--simulation", OrdersSimulation.class.getName(), "--results-folder",
					this.directory.resolve("gatling").toString(), "--no-reports")
				.redirectErrorStream(true)
				.redirectOutput(output.toFile())
				.start();
			try {
				assertThat(gatling.waitFor(Patience.ofSeconds(120))).as("ended").isTrue();
				assertThat(gatling.exitValue()).as(Files.readString(output)).isEqualTo(exit);
			}
			finally {
				gatling.destroyForcibly();
			}
		}
		if (exit != 0) {
			assertThat(output).content().contains("percentage of failed events is less than or equal to 0.0 : false");
		}
	}

}
