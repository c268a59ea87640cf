package dev.sluice.lab.kit.deployed;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

import dev.sluice.lab.StubServer;
import dev.sluice.lab.kit.deployed.Target.Access;
import dev.sluice.lab.kit.deployed.TargetSystem.Spent;
import dev.sluice.lab.kit.measure.Exposition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

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

	@Test
	void addsUpTheProcessesOfAService() {
		Spent spent = spent("""
				process_start_time_seconds{pod="a"} 10
				process_start_time_seconds{pod="b"} 20
				process_cpu_time_ns_total{pod="a"} 1.0E9
				process_cpu_time_ns_total{pod="b"} 2.0E9
				""", """
				process_start_time_seconds{pod="a"} 10
				process_start_time_seconds{pod="b"} 20
				process_cpu_time_ns_total{pod="a"} 1.5E9
				process_cpu_time_ns_total{pod="b"} 3.0E9
				""");

		assertThat(spent.cpuSeconds("consumer")).isEqualTo(1.5);
		assertThat(spent.perOrder(1_000).get("consumer").cpuMillisPerOrder()).isEqualTo(1.5);
	}

	@Test
	void doesNotKnowWhatAProcessSpentThatWasStartedAnew() {
		Spent spent = spent("process_start_time_seconds 10\nprocess_cpu_time_ns_total 1.0E9\n",
				"process_start_time_seconds 20\nprocess_cpu_time_ns_total 5.0E9\n");

		assertThat(spent.cpuSeconds("consumer")).isNull();
		assertThat(spent.perOrder(1)).isEmpty();
	}

	@Test
	void doesNotKnowWhatNobodyTells() {
		Spent spent = spent("process_start_time_seconds 10\n", "process_start_time_seconds 10\n");

		assertThat(spent.cpuSeconds("consumer")).isNull();
		assertThat(spent.cpuSeconds("gateway")).isNull();
	}

	private static Spent spent(String before, String after) {
		return new Spent(Map.of("consumer", Exposition.parse(before, (_) -> true)),
				Map.of("consumer", Exposition.parse(after, (_) -> true)));
	}

	@Test
	void readsAllOfIt() throws IOException {
		Target target = read("""
				gateways:
				  servlet: https://orders.example.org
				metrics:
				  servlet: http://10.0.0.1:8084/actuator/prometheus
				  consumer: http://10.0.0.1:8082/actuator/prometheus
				token-file: token
				ca: ca.pem
				""");

		assertThat(target.gateways()).containsEntry("servlet", URI.create("https://orders.example.org"));
		assertThat(target.metrics()).containsEntry("consumer", URI.create("http://10.0.0.1:8082/actuator/prometheus"));
		assertThat(target.access().token()).isEqualTo(this.directory.resolve("token"));
		assertThat(target.access().ca()).isEqualTo(this.directory.resolve("ca.pem"));
	}

	@Test
	void refusesWhatItCannotUseAndNamesTheKey() {
		assertThatIllegalArgumentException().isThrownBy(() -> read("gateway: x\n"))
			.withMessageContaining("target.yaml: gateway: 'gateway' is unknown: use gateways");
		assertThatIllegalArgumentException().isThrownBy(() -> read("gateways:\n  a: ftp://host\n"))
			.withMessageContaining("is not like http://host:8080");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> read("gateways:\n  a: http://host\nmetrics:\n  consumer: job\n"))
			.withMessageContaining("is not like http://host:8080");
		assertThatIllegalArgumentException().isThrownBy(() -> read("gateways:\n  a: http://me:secret@host\n"))
			.withMessageContaining("use a token file")
			.withMessageNotContaining("secret");
	}

	private Target read(String text) throws IOException {
		return Target.read(Files.writeString(this.directory.resolve("target.yaml"), text));
	}

}
