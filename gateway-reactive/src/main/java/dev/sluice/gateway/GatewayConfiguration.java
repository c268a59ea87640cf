package dev.sluice.gateway;

import java.time.Duration;

import com.github.benmanes.caffeine.cache.Ticker;
import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import io.github.resilience4j.micrometer.tagged.TaggedBulkheadMetrics;
import io.github.resilience4j.micrometer.tagged.TaggedCircuitBreakerMetrics;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.springframework.boot.reactor.netty.NettyReactiveWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.support.ProducerListener;
import reactor.netty.NettyPipeline;

/**
 * What is made of libraries: the limits around the client and the queue, the container.
 */
@Configuration(proxyBeanMethods = false)
class GatewayConfiguration {

	/** For the next bytes of a request that has begun. */
	private static final Duration READ_TIMEOUT = Duration.ofSeconds(20);

	/**
	 * Boot's logs an error, and the payload, for each order; the circuit tells of an
	 * outage.
	 */
	@Bean
	ProducerListener<Object, Object> silentProducerListener() {
		return new ProducerListener<>() {
		};
	}

	@Bean
	Ticker ticker() {
		return Ticker.systemTicker();
	}

	@Bean
	BulkheadRegistry bulkheads() {
		return BulkheadRegistry.ofDefaults();
	}

	@Bean
	CircuitBreakerRegistry circuits() {
		return CircuitBreakerRegistry.ofDefaults();
	}

	@Bean
	MeterBinder bulkheadMetrics(BulkheadRegistry bulkheads) {
		return TaggedBulkheadMetrics.ofBulkheadRegistry(bulkheads);
	}

	@Bean
	MeterBinder circuitMetrics(CircuitBreakerRegistry circuits) {
		return TaggedCircuitBreakerMetrics.ofCircuitBreakerRegistry(circuits);
	}

	@Bean
	WebServerFactoryCustomizer<NettyReactiveWebServerFactory> container() {
		ContainerProblems problems = new ContainerProblems();
		return (factory) -> factory
			.addServerCustomizers((server) -> server.readTimeout(READ_TIMEOUT).doOnChannelInit((_, channel, _) -> {
				channel.pipeline().addAfter(NettyPipeline.HttpCodec, ContainerProblems.class.getName(), problems);
				HeadTimeout.install(channel, READ_TIMEOUT);
			}));
	}

}
