package dev.sluice.backend.model;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.context.properties.ConfigurationPropertiesBindException;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

class BackendPropertiesTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withUserConfiguration(Configuration.class);

	@ParameterizedTest
	@ValueSource(strings = { "backend.store=disk", "backend.store-pool-size=0", "backend.store-timeout=1ms",
			"backend.max-orders=0", "backend.max-in-flight=0", "backend.seed=x" })
	void refuseWhatCannotWork(String property) {
		this.runner.withPropertyValues(property)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(ConfigurationPropertiesBindException.class));
	}

	@Test
	void haveTheSeedThatRepeatsARun() {
		this.runner.withPropertyValues("backend.seed=7")
			.run((context) -> assertThat(context.getBean(BackendProperties.class).seed()).isEqualTo(7));
	}

	@EnableConfigurationProperties(BackendProperties.class)
	static class Configuration {

	}

}
