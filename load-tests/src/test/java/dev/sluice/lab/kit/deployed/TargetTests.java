package dev.sluice.lab.kit.deployed;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class TargetTests {

	@TempDir
	private Path directory;

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
