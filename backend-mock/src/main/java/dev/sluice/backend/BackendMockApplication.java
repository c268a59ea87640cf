package dev.sluice.backend;

import java.time.Instant;
import java.util.Locale;
import java.util.TimeZone;
import java.util.random.RandomGenerator;

import javax.sql.DataSource;

import io.micrometer.core.instrument.MeterRegistry;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.netty.resources.LoopResources;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.reactor.netty.NettyServerCustomizer;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.http.client.ReactorResourceFactory;

/**
 * Starts the backend, on the only event loop of the server. It imports a connection pool,
 * if it needs one.
 */
@SpringBootApplication(exclude = DataSourceAutoConfiguration.class, proxyBeanMethods = false)
@ConfigurationPropertiesScan
public class BackendMockApplication {

	public static void main(String[] args) {
		// As in Sluice's services: the machine's settings change neither digits nor
		// PostgreSQL's session.
		Locale.setDefault(Locale.ROOT);
		TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
		SpringApplication.run(BackendMockApplication.class, args);
	}

	@Bean
	ReactorResourceFactory reactorResourceFactory() {
		ReactorResourceFactory resources = new ReactorResourceFactory();
		resources.setUseGlobalResources(false);
		resources.setLoopResourcesSupplier(() -> LoopResources.create("backend", 1, true));
		return resources;
	}

	@Bean
	Scheduler loop(ReactorResourceFactory resources) {
		return Schedulers
			.fromExecutorService(resources.getLoopResources().onServer(LoopResources.DEFAULT_NATIVE).next(), "backend");
	}

	@Bean
	Backend backend(Scheduler loop, BackendProperties properties, OrderStore store, MeterRegistry registry) {
		return new Backend(loop, () -> OrderStore.micros(Instant.now()), RandomGenerator.getDefault(),
				properties.maxInFlight(), store, registry);
	}

	@Bean
	@ConditionalOnProperty(name = "backend.store", havingValue = "memory", matchIfMissing = true)
	OrderStore memoryOrderStore(BackendProperties properties) {
		return new MemoryOrderStore(properties.maxOrders());
	}

	@Bean
	NettyServerCustomizer connectionCap(Backend backend) {
		return (server) -> server.doOnChannelInit((_, channel, _) -> {
			if (!backend.connect()) {
				channel.unsafe().closeForcibly();
			}
		});
	}

	/** Ends hanging requests before the server waits for requests in progress. */
	@Bean
	ApplicationListener<ContextClosedEvent> releaseHangingAtStop(Scheduler loop, Backend backend) {
		return (_) -> loop.schedule(backend::stop);
	}

	/** {@code backend.store=postgres}. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnProperty(name = "backend.store", havingValue = "postgres")
	@Import(DataSourceAutoConfiguration.class)
	static class Postgres {

		@Bean
		OrderStore postgresOrderStore(DataSource pool, Scheduler loop) {
			return new PostgresOrderStore(pool, loop);
		}

	}

}
