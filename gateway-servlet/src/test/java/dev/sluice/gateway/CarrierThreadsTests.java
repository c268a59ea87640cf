package dev.sluice.gateway;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class CarrierThreadsTests {

	private final @Nullable String before = System.getProperty(CarrierThreads.PROPERTY);

	@BeforeEach
	void clear() {
		System.clearProperty(CarrierThreads.PROPERTY);
	}

	@AfterEach
	void restore() {
		System.clearProperty(CarrierThreads.PROPERTY);
		if (this.before != null) {
			System.setProperty(CarrierThreads.PROPERTY, this.before);
		}
	}

	@Test
	void areOneForEachCoreAndAtLeastFour() {
		CarrierThreads.configure();

		assertThat(Integer.getInteger(CarrierThreads.PROPERTY)).isGreaterThanOrEqualTo(4)
			.isGreaterThanOrEqualTo(Runtime.getRuntime().availableProcessors());
	}

	@Test
	void areNotChangedIfTheCommandLineSetsThem() {
		System.setProperty(CarrierThreads.PROPERTY, "1");

		CarrierThreads.configure();

		assertThat(System.getProperty(CarrierThreads.PROPERTY)).isEqualTo("1");
	}

}
