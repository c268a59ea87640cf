package dev.sluice.lab.kit.result;

import java.util.Map;

import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.result.CompareResult.Setup;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SetupTests {

	private static final Load TEN = Load.inFlight(10);

	@Test
	void theCeilingIsTheLimitByTheBackendsTime() {
		Setup setup = new Setup(50, Map.of("unlimited", 50L), Map.of());

		assertThat(setup.ceiling("unlimited", "sync", TEN)).hasValue(200);
		assertThat(setup.ceiling("unlimited", "queued", TEN)).hasValue(1_000);
		assertThat(setup.ceiling("unlimited", "sync", new Load(Load.Kind.OFFERED, 10))).hasValue(10);
		assertThat(setup.ceiling("log-normal", "sync", TEN)).isEmpty();
		assertThat(new Setup(50, Map.of("unlimited", 0L), Map.of()).ceiling("unlimited", "queued", TEN)).isEmpty();
	}

	@Test
	void theCeilingRisesWithTheLoadUpToTheBackendsRate() {
		Setup setup = new Setup(50, Map.of("workers", 50L), Map.of("workers", 400.0));

		assertThat(setup.ceiling("workers", "sync", TEN)).hasValue(200);
		assertThat(setup.ceiling("workers", "sync", Load.inFlight(100))).hasValue(400);
		assertThat(setup.ceiling("workers", "queued", TEN)).hasValue(400);
	}

}
