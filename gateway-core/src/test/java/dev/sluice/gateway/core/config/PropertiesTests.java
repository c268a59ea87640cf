package dev.sluice.gateway.core.config;

import java.net.URI;
import java.time.Duration;

import dev.sluice.gateway.core.order.Mode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindException;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.unit.DataSize;

import static org.assertj.core.api.Assertions.assertThat;

class PropertiesTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withUserConfiguration(Properties.class);

	@Test
	void haveTheDocumentedDefaults() {
		this.runner.run((context) -> {
			GatewayProperties gateway = context.getBean(GatewayProperties.class);
			assertThat(gateway.defaultMode()).isEqualTo(Mode.SYNC);
			assertThat(gateway.maxWait()).isEqualTo(Duration.ofSeconds(10));
			assertThat(gateway.maxWaiters()).isEqualTo(100);
			assertThat(gateway.clientLimit()).isZero();
			assertThat(gateway.clientBurst()).isEqualTo(10);
			assertThat(context.getBean(ConnectionProperties.class))
				.isEqualTo(new ConnectionProperties(Duration.ofSeconds(10), Duration.ofSeconds(10), 0,
						Duration.ofMillis(500), DataSize.ofMegabytes(32)));
			assertThat(context.getBean(BackendProperties.class))
				.isEqualTo(new BackendProperties(URI.create("http://127.0.0.1:8090"), Duration.ofSeconds(1),
						Duration.ofSeconds(10), 1000, 1, Duration.ofSeconds(60)));
			assertThat(context.getBean(QueueProperties.class))
				.isEqualTo(new QueueProperties(Duration.ofMillis(1700), 10_000, 12, (short) 1, 0));
			assertThat(context.getBean(StatusProperties.class)).isEqualTo(
					new StatusProperties(Duration.ofSeconds(1), 100_000, "order-status", Duration.ofMillis(250)));
			assertThat(context.getBean(StatusProperties.class).keyLookupLimit(Mode.SYNC))
				.isEqualTo(Duration.ofSeconds(2));
		});
	}

	@Test
	void limitConnectionsAndRequestsByTheHeapUnlessTheyAreSet() {
		assertThat(ConnectionProperties.limit(0, DataSize.ofMegabytes(384).toBytes(), 12 * 1024, 16_384))
			.isEqualTo(8192);
		assertThat(ConnectionProperties.limit(0, DataSize.ofGigabytes(64).toBytes(), 12 * 1024, 16_384))
			.isEqualTo(16_384);
		this.runner.run((context) -> {
			long quarter = Runtime.getRuntime().maxMemory() / 4;
			assertThat(context.getBean(ConnectionProperties.class).maxConnections() * 12L * 1024)
				.isLessThanOrEqualTo(quarter);
			assertThat(context.getBean(GatewayProperties.class).maxInProgress() * 60L * 1024)
				.isLessThanOrEqualTo(quarter);
		});
		this.runner.withPropertyValues("sluice.max-connections=9", "sluice.max-in-progress=7").run((context) -> {
			assertThat(context.getBean(ConnectionProperties.class).maxConnections()).isEqualTo(9);
			assertThat(context.getBean(GatewayProperties.class).maxInProgress()).isEqualTo(7);
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "backend.max-concurrent=0", "backend.max-attempts=0", "backend.response-timeout=0s",
			"backend.url=no url", "backend.url=backend:8090", "backend.url=http://backend:8090/v1",
			"backend.idle-timeout=0s", "queue.max-in-flight=0", "queue.partitions=0", "queue.replication-factor=0",
			"queue.min-insync-replicas=2", "queue.timeout=-1s", "status.recent-orders=0",
			"status.key-lookup-timeout=-1ms", "status.projection-group=", "sluice.default-mode=both",
			"sluice.max-wait=-1s", "sluice.max-waiters=-1", "sluice.client-limit=-1", "sluice.client-burst=0",
			"sluice.head-timeout=0s", "sluice.body-timeout=2h", "sluice.write-timeout=0s", "sluice.max-connections=-1",
			"sluice.max-in-progress=-1", "sluice.max-body-memory=63KB" })
	void refuseWhatCannotWork(String property) {
		this.runner.withPropertyValues(property)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(ConfigurationPropertiesBindException.class)
				.hasMessageContaining(property.substring(0, property.indexOf('.'))));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableConfigurationProperties({ GatewayProperties.class, BackendProperties.class, QueueProperties.class,
			StatusProperties.class, ConnectionProperties.class })
	static class Properties {

	}

}
