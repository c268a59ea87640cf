package dev.sluice.lab.kit.process;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import dev.sluice.devservices.DevServices;
import dev.sluice.devservices.Infrastructure;
import dev.sluice.lab.kit.cell.Window;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The CPU time of real servers, as containers or embedded, as this machine has them. */
@Tag("full")
class ServerProcessesIT {

	/** On any machine some hundred milliseconds of CPU; its proxy passes on one row. */
	private static final String WORK = "select count(*) from generate_series(1, 3000000) as n where n % 7 = 3";

	private static final int ATTEMPTS = 20;

	@TempDir
	private Path directory;

	@Test
	void theCpuTimeOfPostgresIsThatOfItsBackends() throws IOException, SQLException {
		try (DevServices services = DevServices.start(DevServices.shared().infrastructure())) {
			Map<String, List<Long>> groups = ProcessSampler.servers(services);
			assertThat(groups).containsOnlyKeys("kafka", "postgresql");
			if (services.infrastructure() == Infrastructure.CONTAINERS) {
				assertThat(groups.values())
					.allSatisfy((group) -> assertThat(group).as("its proxy's and its own").hasSize(2));
			}
			try (ProcessSampler sampler = new ProcessSampler(groups, this.directory.resolve("samples.csv"))) {
				await().until(() -> sampler.samples().samples().size() > 1);
				Window window = workAndWait(services, sampler);
				ProcessSamples samples = sampler.samples();

				assertThat(samples.cpuMillis("postgresql", window)).as("backends that have ended included")
					.isGreaterThan(500);
				assertThat(samples.cpuMillis("kafka", window)).isNotNull();
				assertThat(samples.cpuMillis("postgresql", window))
					.isLessThanOrEqualTo(window.seconds() * 1_000 * Runtime.getRuntime().availableProcessors());
			}
		}
	}

	/**
	 * Works, and works again if the machine was too busy to be sampled, because then the
	 * CPU time of that window stays unknown.
	 */
	private static Window workAndWait(DevServices services, ProcessSampler sampler) throws SQLException {
		for (int attempt = 1;; attempt++) {
			Instant start = Instant.now();
			work(services);
			Window window = new Window(start.minusMillis(200), Instant.now().plusMillis(400));
			await().until(() -> sampler.samples().samples().getLast().time().isAfter(window.end().plusSeconds(1)));
			if (sampler.samples().cpuMillis("postgresql", window) != null || attempt == ATTEMPTS) {
				return window;
			}
		}
	}

	/** Ten connections, one after another. */
	private static void work(DevServices services) throws SQLException {
		for (int i = 0; i < 10; i++) {
			try (Connection connection = DriverManager.getConnection(services.postgres().jdbcUrl(),
					services.postgres().username(), services.postgres().password());
					Statement statement = connection.createStatement()) {
				statement.executeQuery(WORK);
			}
		}
	}

}
