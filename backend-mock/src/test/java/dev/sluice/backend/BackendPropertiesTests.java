package dev.sluice.backend;

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
	@ValueSource(strings = { "backend.store=disk", "backend.max-orders=0", "backend.max-in-flight=0" })
	void refuseWhatCannotWork(String property) {
		this.runner.withPropertyValues(property)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(ConfigurationPropertiesBindException.class));
	}

	@EnableConfigurationProperties(BackendProperties.class)
	static class Configuration {

	}

}
