package dev.sluice.devservices;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class InfrastructureTests {

	@Test
	void isReadInAnyCase() {
		assertThat(Infrastructure.of("embedded")).isEqualTo(Infrastructure.EMBEDDED);
		assertThat(Infrastructure.of(" Containers ")).isEqualTo(Infrastructure.CONTAINERS);
	}

	@Test
	void saysWhatIsAllowedInsteadOfWhatIsNot() {
		assertThatIllegalArgumentException().isThrownBy(() -> Infrastructure.of("podman"))
			.withMessageContaining("'podman'")
			.withMessageContaining("auto, containers or embedded")
			.withMessageContaining("TEST_INFRA");
	}

}
