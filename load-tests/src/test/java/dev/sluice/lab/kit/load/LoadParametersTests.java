package dev.sluice.lab.kit.load;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;

import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.plan.Phase.Client;
import dev.sluice.lab.kit.plan.Phase.Extent;
import dev.sluice.lab.kit.plan.Phase.Target;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class LoadParametersTests {

	@Test
	void everyPropertyIsRead() {
		Properties properties = new Properties();
		properties.putAll(Map.of("name", "sync 30", "token", "token", "targets", "sync@http://a:1,queued@https://b:2",
				"orders", "30", "seconds", "1.5", "users", "8", "keep-alive", "false", "rate", "12.5", "items", "3"));
		properties.putAll(Map.of("deadline", "45", "notes", "/a b/notes.gz", "max-failed", "5", "max-p99", "200"));

		LoadParameters read = LoadParameters.of(properties);

		LoadParameters parameters = new LoadParameters("sync 30", "token",
				List.of(new Target(URI.create("http://a:1"), Mode.SYNC),
						new Target(URI.create("https://b:2"), Mode.QUEUED)),
				new Extent(30, 1_500, 0), new Client(8, false, 12.5, 3), 45_000, Path.of("/a b/notes.gz"), 5, 200);
		assertThat(read).isEqualTo(parameters);
		JsonMapper json = JsonMapper.shared();
		assertThat(json.readValue(json.writeValueAsString(read), LoadParameters.class)).isEqualTo(parameters);
	}

	@Test
	void byDefaultOrdersGoToTheServletGatewayAndNoneMayFail() {
		LoadParameters parameters = LoadParameters.of(new Properties());

		assertThat(parameters.targets()).containsExactly(new Target(URI.create("http://127.0.0.1:8080"), Mode.SYNC));
		assertThat(parameters.extent()).isEqualTo(Extent.of(1_000));
		assertThat(parameters.maxFailed()).isZero();
		assertThat(parameters.notes()).isNull();
	}

	@Test
	void aTargetNeedsAMode() {
		Properties properties = new Properties();
		properties.put("targets", "http://127.0.0.1:8080");

		assertThatIllegalArgumentException().isThrownBy(() -> LoadParameters.of(properties))
			.withMessageContaining("mode@url");
	}

}
