package dev.sluice.sink;

import org.junit.jupiter.api.Test;

import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

class SinkPropertiesTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withUserConfiguration(Configuration.class);

	@Test
	void takesNoMemoryThatKafkasProducerWouldRefuseAMessageFor() {
		this.runner.withPropertyValues("sink.memory=1MB", "sink.max-message=1MB")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("sink.memory must be 4KB more than sink.max-message"));
		this.runner.withPropertyValues("sink.memory=1MB", "sink.max-message=1020KB")
			.run((context) -> assertThat(context).hasNotFailed());
		this.runner.withPropertyValues("sink.memory=1MB", "sink.max-message=1MB", "sink.store=log")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void takesNoHorizonWithinWhichAStreamsMessagesCouldBeStoredTwice() {
		this.runner.withPropertyValues("sink.repeat-horizon=999", "sink.queue-capacity=1000")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("Raise sink.repeat-horizon or lower sink.queue-capacity"));
		this.runner.withPropertyValues("sink.repeat-horizon=1000", "sink.queue-capacity=1000")
			.run((context) -> assertThat(context).hasNotFailed());
		this.runner.withPropertyValues("sink.repeat-horizon=0").run((context) -> assertThat(context).hasNotFailed());
	}

	@EnableConfigurationProperties(SinkProperties.class)
	static class Configuration {

	}

}
