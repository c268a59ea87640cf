package dev.sluice.lab.kit.deployed;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

import dev.sluice.lab.StubServer;
import dev.sluice.lab.kit.deployed.Target.Access;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class TargetSystemTests {

	@TempDir
	private Path directory;

	private final List<String> authorizations = new CopyOnWriteArrayList<>();

	@RegisterExtension
	private final StubServer server = new StubServer();

	@Test
	void readsAnEndpointWithItsOwnTokenOnly() throws Exception {
		this.server.on("/metrics", (exchange) -> {
			this.authorizations.add(exchange.getRequestHeaders().getFirst("Authorization"));
			StubServer.answer(exchange, 200, "process_cpu_time_ns_total 5\nother 7\n");
		});
		Path token = Files.writeString(this.directory.resolve("token"), "for-metrics\n");
		Target target = new Target(Map.of("servlet", this.server.uri("")),
				Map.of("servlet", this.server.uri("/metrics")), new Access(null, token, null));

		try (TargetSystem system = new TargetSystem(target)) {
			assertThat(system.read().get("servlet").sum("process_cpu_time_ns_total")).isEqualTo(5);
			assertThat(system.authorization()).isNull();
		}
		assertThat(this.authorizations).containsExactly("Bearer for-metrics");
	}

	@Test
	void saysWhoDidNotTell() throws Exception {
		Target target = new Target(Map.of("servlet", this.server.uri("")),
				Map.of("consumer", this.server.uri("/missing")), Access.OPEN);

		try (TargetSystem system = new TargetSystem(target)) {
			assertThat(system.read()).isEmpty();
			assertThat(system.failures().get("consumer")).contains("answers 404");
		}
	}

}
