package dev.sluice.lab.kit.load;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;

import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.plan.Phase.Client;
import dev.sluice.lab.kit.plan.Phase.Extent;
import dev.sluice.lab.kit.plan.Phase.Target;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class LoadParametersTests {

	@Test
	void areReadAsTheyWereWritten() {
		LoadParameters parameters = new LoadParameters("sync 30", "token",
				List.of(new Target(URI.create("http://a:1"), Mode.SYNC),
						new Target(URI.create("https://b:2"), Mode.QUEUED)),
				new Extent(30, 1_500, 0), new Client(8, false, 12.5, 3), 45_000, Path.of("/a b/notes.gz"), 5, 200);
		Properties properties = new Properties();
		properties.putAll(parameters.properties());

		assertThat(LoadParameters.of(properties)).isEqualTo(parameters);
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
