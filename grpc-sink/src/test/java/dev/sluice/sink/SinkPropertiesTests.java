package dev.sluice.sink;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.test.context.ConfigDataApplicationContextInitializer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

class SinkPropertiesTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withUserConfiguration(Configuration.class);

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					sink.limits.memory=1MB; sink.limits.max-message=1MB | at least 4KB more than sink.limits.max-message
					sink.limits.memory=1MB; sink.limits.max-message=1020KB |
					sink.stream.queue-capacity=1000; sink.limits.max-storing=500; sink.store.repeat-horizon=1499 | Raise sink.store.repeat-horizon
					sink.stream.queue-capacity=1000; sink.limits.max-storing=500; sink.store.repeat-horizon=1500 |
					sink.store.repeat-horizon=0                         |
					sink.store.timeout=5m                               |
					sink.topic.partitions=0                             | sink.topic
					sink.topic.replication-factor=0                     | sink.topic
					sink.topic.min-insync-replicas=2                    | sink.topic
					""")
	void refuseWhatCannotWork(String properties, @Nullable String message) {
		this.runner.withPropertyValues(properties.split("; ")).run((context) -> {
			if (message == null) {
				assertThat(context).hasNotFailed();
			}
			else {
				assertThat(context).getFailure().rootCause().hasMessageContaining(message);
			}
		});
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
