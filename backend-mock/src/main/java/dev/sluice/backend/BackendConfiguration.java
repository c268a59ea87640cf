package dev.sluice.backend;

import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;

import io.micrometer.core.instrument.MeterRegistry;
import io.netty.channel.EventLoop;
import jakarta.validation.Validator;
import reactor.netty.resources.LoopResources;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.reactor.netty.NettyRouteProvider;
import org.springframework.boot.reactor.netty.NettyServerCustomizer;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.client.ReactorResourceFactory;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.ServerResponse;

/** Puts the backend together and onto the server's one event loop. */
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
	Burner burner() {
		return new Burner();
	}

	@Bean
	Backend backend(Loop loop, Burner burner, BackendProperties properties, MeterRegistry registry) {
		RandomGeneratorFactory<RandomGenerator> random = RandomGeneratorFactory.of("L64X128MixRandom");
		return new Backend(loop, (properties.seed() != 0) ? random.create(properties.seed()) : random.create(),
				burner::burn, properties, new BackendMetrics(registry));
	}

	@Bean
	NettyRouteProvider orderRoutes(Backend backend, JsonMapper json) {
		return new OrderRoutes(backend, json);
	}

	@Bean
	RouterFunction<ServerResponse> controlRoutes(Backend backend, Validator validator, JsonMapper json, Loop loop) {
		return new ControlRoutes(backend, new BehaviourRules(validator), json, loop).routes();
	}

	@Bean
	NettyServerCustomizer connectionCap(Loop loop, Backend backend) {
		ConnectionCap cap = new ConnectionCap(loop, backend);
		return (server) -> server.doOnChannelInit((_, channel, _) -> cap.accepted(channel));
	}

	/** Lets go what hangs before the server waits for its requests to end. */
	@Bean
	SmartLifecycle letGoAtStop(Loop loop, Backend backend) {
		return new SmartLifecycle() {

			private volatile boolean running;

			@Override
			public void start() {
				this.running = true;
			}

			@Override
			public void stop() {
				this.running = false;
				loop.execute(backend::stop);
			}

			@Override
			public boolean isRunning() {
				return this.running;
			}

		};
	}

}
