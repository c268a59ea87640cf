package dev.sluice.sink;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.context.properties.ConfigurationPropertiesBindException;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.test.context.ConfigDataApplicationContextInitializer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

class SinkPropertiesTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withUserConfiguration(Configuration.class);

	@Test
	void takesNoMemoryThatKafkasProducerWouldRefuseAMessageFor() {
		this.runner.withPropertyValues("sink.limits.memory=1MB", "sink.limits.max-message=1MB")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("sink.limits.memory must be at least 4KB more than sink.limits.max-message"));
		this.runner.withPropertyValues("sink.limits.memory=1MB", "sink.limits.max-message=1020KB")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void takesNoHorizonWithinWhichMessagesInFlightCouldBeStoredTwice() {
		String[] inFlight = { "sink.stream.queue-capacity=1000", "sink.limits.max-storing=500" };
		this.runner.withPropertyValues(inFlight)
			.withPropertyValues("sink.store.repeat-horizon=1499")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("Raise sink.store.repeat-horizon or lower one of these"));
		this.runner.withPropertyValues(inFlight)
			.withPropertyValues("sink.store.repeat-horizon=1500")
			.run((context) -> assertThat(context).hasNotFailed());
		this.runner.run((context) -> assertThat(context).as("the defaults").hasNotFailed());
		this.runner.withPropertyValues("sink.store.repeat-horizon=0")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@ParameterizedTest
	@ValueSource(strings = { "sink.topic.partitions=0", "sink.topic.replication-factor=0",
			"sink.topic.min-insync-replicas=2" })
	void refusesATopicThatCannotBe(String property) {
		this.runner.withPropertyValues(property)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(ConfigurationPropertiesBindException.class)
				.hasMessageContaining("sink"));
	}

	/** Other tests override these with shorter times. */
	@Test
	void freesWhatAClientHoldsThatHasVanishedAndLetsStreamsEndBeforeTheirConnection() {
		this.runner.withInitializer(new ConfigDataApplicationContextInitializer()).run((context) -> {
			Binder binder = Binder.get(context.getEnvironment());
			String prefix = "spring.grpc.server.keepalive.";
			assertThat(time(binder, prefix + "time").plus(time(binder, prefix + "timeout")))
				.isLessThanOrEqualTo(Duration.ofMinutes(1));
			assertThat(time(binder, prefix + "connection.max-age")).isLessThanOrEqualTo(Duration.ofHours(1));
			assertThat(time(binder, prefix + "connection.grace-period"))
				.isGreaterThan(context.getBean(SinkProperties.class).stream().maxAge());
		});
	}

	private static Duration time(Binder binder, String property) {
		return binder.bind(property, Duration.class).get();
	}

	@EnableConfigurationProperties(SinkProperties.class)
	static class Configuration {

	}

}
