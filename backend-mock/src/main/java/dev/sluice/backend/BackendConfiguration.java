package dev.sluice.backend;

import java.util.random.RandomGenerator;

import javax.sql.DataSource;

import dev.sluice.backend.http.ControlRoutes;
import dev.sluice.backend.http.OrderRoutes;
import dev.sluice.backend.loop.Loop;
import dev.sluice.backend.loop.NettyLoop;
import dev.sluice.backend.model.Backend;
import dev.sluice.backend.model.BackendMetrics;
import dev.sluice.backend.model.BackendProperties;
import dev.sluice.backend.store.MemoryOrderStore;
import dev.sluice.backend.store.OrderStore;
import dev.sluice.backend.store.PostgresOrderStore;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.channel.EventLoop;
import jakarta.validation.Validator;
import reactor.netty.resources.LoopResources;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.reactor.netty.NettyRouteProvider;
import org.springframework.boot.reactor.netty.NettyServerCustomizer;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.http.client.ReactorResourceFactory;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.ServerResponse;

/** Configures the backend and runs it on the only event loop of the server. */
@Configuration(proxyBeanMethods = false)
class BackendConfiguration {

	@Bean
	ReactorResourceFactory reactorResourceFactory() {
		ReactorResourceFactory resources = new ReactorResourceFactory();
		resources.setUseGlobalResources(false);
		resources.setLoopResourcesSupplier(() -> LoopResources.create("backend", 1, true));
		return resources;
	}

	@Bean
	Loop loop(ReactorResourceFactory resources) {
		EventLoop eventLoop = (EventLoop) resources.getLoopResources().onServer(LoopResources.DEFAULT_NATIVE).next();
		return new NettyLoop(eventLoop);
	}

	@Bean
	Backend backend(Loop loop, BackendProperties properties, OrderStore store, MeterRegistry registry) {
		return new Backend(loop, RandomGenerator.getDefault(), properties, store, new BackendMetrics(registry));
	}

	@Bean
	@ConditionalOnProperty(name = "backend.store", havingValue = "memory", matchIfMissing = true)
	OrderStore memoryOrderStore(BackendProperties properties) {
		return new MemoryOrderStore(properties.maxOrders());
	}

	@Bean
	NettyRouteProvider orderRoutes(Backend backend, JsonMapper json) {
		return new OrderRoutes(backend, json);
	}

	@Bean
	RouterFunction<ServerResponse> controlRoutes(Backend backend, Validator validator, JsonMapper json, Loop loop) {
		return new ControlRoutes(backend, validator, json, loop).routes();
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
	ApplicationListener<ContextClosedEvent> releaseHangingAtStop(Loop loop, Backend backend) {
		return (_) -> loop.execute(backend::stop);
	}

	/** {@code backend.store=postgres}. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnProperty(name = "backend.store", havingValue = "postgres")
	@Import(DataSourceAutoConfiguration.class)
	static class Postgres {

		@Bean
		OrderStore postgresOrderStore(DataSource pool, Loop loop) {
			return new PostgresOrderStore(pool, loop);
		}

	}

}
