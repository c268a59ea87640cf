package dev.sluice.lab.scenario;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

import dev.sluice.lab.kit.deployed.Target;
import dev.sluice.lab.kit.deployed.Target.Fault;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class TargetFileTests {

	@TempDir
	private Path directory;

	@Test
	void readsAllOfIt() throws IOException {
		Target target = read("""
				gateways:
				  servlet: https://orders.example.org
				metrics:
				  servlet: http://10.0.0.1:8084/actuator/prometheus
				  consumer: job="consumer"
				prometheus: http://10.0.0.9:9090
				token-file: token
				ca: ca.pem
				""");

		assertThat(target.gateways()).containsEntry("servlet", URI.create("https://orders.example.org"));
		assertThat(target.metrics()).containsEntry("consumer", "job=\"consumer\"");
		assertThat(target.access().token()).isEqualTo(this.directory.resolve("token"));
		assertThat(target.access().ca()).isEqualTo(this.directory.resolve("ca.pem"));
		assertThat(target.unseen()).contains("CPU, collector and counters of backend", "CPU of Kafka and PostgreSQL");
	}

	@Test
	void refusesWhatItCannotUseAndNamesTheLine() {
		assertThatIllegalArgumentException().isThrownBy(() -> read("gateway: x\n"))
			.withMessageContaining("target.yaml:1: 'gateway' is unknown: did you mean 'gateways'?");
		assertThatIllegalArgumentException().isThrownBy(() -> read("gateways:\n  a: ftp://host\n"))
			.withMessageContaining("is not like http://host:8080");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> read("gateways:\n  a: http://host\nmetrics:\n  consumer: job=\"x\"\n"))
			.withMessageContaining("needs 'prometheus'");
		assertThatIllegalArgumentException().isThrownBy(() -> read("gateways:\n  a: http://me:secret@host\n"))
			.withMessageContaining("use a token file")
			.withMessageNotContaining("secret");
	}

	@Test
	void readsHowItMayBeBroken() throws IOException {
		Target target = read("""
				gateways:
				  servlet: https://orders.example.org
				faults:
				  consumer:
				    begin: kubectl delete pod -l app=order-consumer --wait=false
				  broker-1:
				    begin: |
				      ssh broker1 systemctl stop kafka
				      ssh broker1 sync
				    for: 20s
				    end: ssh broker1 systemctl start kafka
				""");

		assertThat(target.faults()).containsExactly(
				Map.entry("consumer",
						new Fault("kubectl delete pod -l app=order-consumer --wait=false", Duration.ofSeconds(5),
								null)),
				Map.entry("broker-1", new Fault("ssh broker1 systemctl stop kafka\nssh broker1 sync",
						Duration.ofSeconds(20), "ssh broker1 systemctl start kafka")));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			faults: kill it                                  | target.yaml:3: must be a mapping: 'name: value'
			faults: {}                                       | target.yaml:3: must be a mapping: 'name: value'
			faults: {a: kill it}                             | target.yaml:3: must be a mapping: 'key: value'
			faults: {a: {for: 5s}}                           | target.yaml:3: 'begin' is missing
			faults: {a: {begin: ''}}                         | target.yaml:3: must be a single value
			faults: {a: {begin: x, end: [y]}}                | target.yaml:3: must be a single value
			faults: {a: {begin: x, ends: y}}                 | target.yaml:3: 'ends' is unknown: did you mean 'end'?
			faults: {a: {begin: x, for: 5}}                  | target.yaml:3: '5' is not a length of time
			faults: {a: {begin: x, for: 2min}}               | target.yaml:3: '2min' is not from 0 ms to 60,000 ms
			faults: {a: {begin: x}, a: {begin: y}}           | target.yaml:3: 'a' appears twice
			faults: {'a,b': {begin: x}}                      | fault 'a,b': a name has letters
			faults: {../a: {begin: x}}                       | fault '../a': a name has letters
			""", quoteCharacter = '`')
	void refusesFaultsThatItCannotUse(String faults, String message) {
		assertThatIllegalArgumentException().isThrownBy(() -> read("gateways:\n  a: http://host\n" + faults + "\n"))
			.withMessageContaining(message);
	}

	private Target read(String text) throws IOException {
		Path file = this.directory.resolve("target.yaml");
		Files.writeString(file, text);
		return TargetFile.read(file);
	}

}
