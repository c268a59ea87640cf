package dev.sluice.gateway.web;

import dev.sluice.gateway.core.backend.BackendPolicy;
import dev.sluice.gateway.core.config.BackendProperties;
import dev.sluice.gateway.core.config.ConnectionProperties;
import dev.sluice.gateway.core.limit.RequestLimit;
import dev.sluice.gateway.edge.ConnectionLimitHandler;
import dev.sluice.gateway.edge.RequestFramingHandler;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.ServerChannelRecvByteBufAllocator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.reactor.netty.NettyReactiveWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.client.ReactorResourceFactory;
import reactor.core.publisher.Hooks;
import reactor.netty.channel.AbortedException;
import reactor.netty.http.HttpProtocol;
import reactor.netty.http.server.HttpServer;
import reactor.netty.resources.LoopResources;

/** The web server, with the gateway's limits, and its readiness. */
@Configuration(proxyBeanMethods = false)
class GatewayConfiguration {

	/** Bytes read from a connection at once, and the maximum that waits in memory. */
	private static final int READ_BUFFER_BYTES = 16 * 1024;

	/** Connections that wait to be accepted, as with the other gateway. */
	private static final int BACKLOG = 1024;

	private static final Logger log = LoggerFactory.getLogger(GatewayConfiguration.class);

	// Once, because the hook is the JVM's and Reactor adds up hooks.
	static {
		Hooks.onErrorDropped(GatewayConfiguration::dropped);
	}

	/**
	 * Logs errors that Reactor can signal to nobody, except that a client disconnected
	 * before it had its answer: Reactor would log a stack trace for each.
	 */
	private static void dropped(Throwable error) {
		if (AbortedException.isConnectionReset(error)) {
			log.debug("The client has disconnected", error);
		}
		else {
			log.error("Reactor dropped an error because nothing waited for it", error);
		}
	}

	/** Measures one event loop after another. */
	@Bean
	RequestLimit.Threads requestThreads(ReactorResourceFactory resources) {
		return () -> {
			EventLoopGroup loops = resources.getLoopResources().onServer(LoopResources.DEFAULT_NATIVE);
			return (probe) -> loops.next().execute(probe);
		};
	}

	/** Calls hold no threads. */
	@Bean
	BackendPolicy backend(BackendProperties backend, CircuitBreakerRegistry circuits, MeterRegistry meters) {
		return new BackendPolicy(backend, Integer.MAX_VALUE, circuits, meters);
	}

	@Bean
	WebServerFactoryCustomizer<NettyReactiveWebServerFactory> container(ServerProperties server,
			ConnectionProperties connections, RequestLimit requests) {
		return (factory) -> factory.addServerCustomizers((http) -> guarded(http, server, connections, requests));
	}

	private static HttpServer guarded(HttpServer http, ServerProperties server, ConnectionProperties connections,
			RequestLimit requests) {
		int maxHeadBytes = Math.toIntExact(server.getMaxHttpRequestHeaderSize().toBytes());
		return http.protocol(HttpProtocol.HTTP11)
			.option(ChannelOption.SO_BACKLOG, BACKLOG)
			// For the listening socket: the connection limit is checked after each
			// connection.
			.option(ChannelOption.RECVBUF_ALLOCATOR, new ServerChannelRecvByteBufAllocator().maxMessagesPerRead(1))
			.childOption(ChannelOption.RECVBUF_ALLOCATOR,
					new FixedRecvByteBufAllocator(READ_BUFFER_BYTES).maxMessagesPerRead(1))
			.childOption(ChannelOption.SO_SNDBUF, ConnectionProperties.SEND_BUFFER_BYTES)
			// RequestFramingHandler has already checked the size.
			.httpRequestDecoder(
					(decoder) -> decoder.maxInitialLineLength(2 * maxHeadBytes).maxHeaderSize(2 * maxHeadBytes))
			.doOnChannelInit((_, channel, _) -> RequestFramingHandler.install(channel, maxHeadBytes, requests))
			.doOnBound((bound) -> bound.channel()
				.pipeline()
				.addFirst(new ConnectionLimitHandler(connections.maxConnections())));
	}

}
