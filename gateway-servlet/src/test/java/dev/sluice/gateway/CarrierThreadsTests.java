package dev.sluice.gateway;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class CarrierThreadsTests {

	private final @Nullable String before = System.getProperty(GatewayApplication.CARRIERS);

	@BeforeEach
	void clear() {
		System.clearProperty(GatewayApplication.CARRIERS);
	}

	@AfterEach
	void restore() {
		System.clearProperty(GatewayApplication.CARRIERS);
		if (this.before != null) {
			System.setProperty(GatewayApplication.CARRIERS, this.before);
		}
	}

	@Test
	void areOneForEachCoreAndAtLeastFour() {
		GatewayApplication.setCarriers();

		assertThat(Integer.getInteger(GatewayApplication.CARRIERS)).isGreaterThanOrEqualTo(4)
			.isGreaterThanOrEqualTo(Runtime.getRuntime().availableProcessors());
	}

	@Test
	void areNotChangedIfTheCommandLineSetsThem() {
		System.setProperty(GatewayApplication.CARRIERS, "1");

		GatewayApplication.setCarriers();

		assertThat(System.getProperty(GatewayApplication.CARRIERS)).isEqualTo("1");
	}

}
