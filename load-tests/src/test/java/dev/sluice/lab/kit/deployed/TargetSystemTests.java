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
import dev.sluice.lab.kit.plan.Mode;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
			assertThat(system.orders(this.server.uri(""), Mode.SYNC, "test").authorization()).isNull();
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

	/** Each process has a name, its start, and its CPU time in nanoseconds. */
	@ParameterizedTest
	@CsvSource(delimiter = '|', nullValues = "-", textBlock = """
			a 10 1.0E9; b 20 2.0E9 | a 10 1.5E9; b 20 3.0E9 | 1.5
			# it was started anew
			a 10 1.0E9             | a 20 5.0E9             | -
			# it does not tell
			a 10                   | a 10                   | -
			""")
	void addsUpWhatTheProcessesOfAServiceSpent(String before, String after, @Nullable Double seconds) {
		Spent spent = new Spent(Map.of("consumer", told(before)), Map.of("consumer", told(after)));

		assertThat(spent.cpuSeconds("consumer")).isEqualTo(seconds);
		assertThat(spent.cpuSeconds("gateway")).isNull();
		assertThat(spent.perOrder(1_000)).hasSize((seconds != null) ? 1 : 0)
			.allSatisfy((_, cost) -> assertThat(cost.cpuMillisPerOrder()).isEqualTo(seconds));
	}

	private static Exposition told(String processes) {
		StringBuilder text = new StringBuilder();
		for (String process : processes.split("; ")) {
			String[] words = process.split(" ");
			text.append("process_start_time_seconds{pod=\"%s\"} %s%n".formatted(words[0], words[1]));
			if (words.length > 2) {
				text.append("process_cpu_time_ns_total{pod=\"%s\"} %s%n".formatted(words[0], words[2]));
			}
		}
		return Exposition.parse(text.toString(), (_) -> true);
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
