package dev.sluice.gateway.web;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;

import dev.sluice.gateway.core.backend.BackendPolicy;
import dev.sluice.gateway.core.config.BackendProperties;
import dev.sluice.gateway.core.config.ConnectionProperties;
import dev.sluice.gateway.core.limit.RequestFraming;
import dev.sluice.gateway.core.limit.RequestLimit;
import dev.sluice.gateway.edge.GuardedHttp11Protocol;
import dev.sluice.gateway.edge.InTurn;
import dev.sluice.gateway.web.ServletProperties.Threads;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.servlet.http.HttpServletRequest;
import org.apache.catalina.connector.Connector;
import org.springframework.boot.tomcat.TomcatProtocolHandlerCustomizer;
import org.springframework.boot.tomcat.TomcatWebServer;
import org.springframework.boot.tomcat.autoconfigure.TomcatServerProperties;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.http.HttpMethod;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.handler.SimpleUrlHandlerMapping;

/** The web server, with the gateway's limits, and its readiness. */
@Configuration(proxyBeanMethods = false)
class GatewayConfiguration {

	/**
	 * Requests that no controller takes go to a handler of their own: the framework's
	 * fails with a media type such as {@code *&#47;*}.
	 */
	@Bean
	SimpleUrlHandlerMapping notFound(ErrorPage page) throws NoSuchMethodException {
		HandlerMethod handler = new HandlerMethod(page, "notFound", HttpServletRequest.class, HttpMethod.class);
		return new SimpleUrlHandlerMapping(Map.of("/**", handler), Ordered.LOWEST_PRECEDENCE);
	}

	/**
	 * None for platform threads: they wait for the backend, so a request that waits for
	 * one does not show that the cores are busy.
	 */
	@Bean
	RequestLimit.Threads requestThreads(ServletProperties servlet, ServletWebServerApplicationContext context) {
		return () -> (servlet.threads() != Threads.PLATFORM) ? threads(context) : null;
	}

	private static Executor threads(ServletWebServerApplicationContext context) {
		TomcatWebServer server = (TomcatWebServer) Objects.requireNonNull(context.getWebServer());
		return server.getTomcat().getConnector().getProtocolHandler().getExecutor();
	}

	@Bean
	BackendPolicy backend(BackendProperties backend, ServletProperties servlet, TomcatServerProperties tomcat,
			CircuitBreakerRegistry circuits, MeterRegistry meters) {
		return new BackendPolicy(backend, servlet.backendThreads(tomcat.getThreads().getMax()), circuits, meters);
	}

	@Bean
	WebServerFactoryCustomizer<TomcatServletWebServerFactory> container(ServletProperties servlet,
			ServerProperties server, RequestLimit requests) {
		int maxHeadBytes = (int) server.getMaxHttpRequestHeaderSize().toBytes();
		return (factory) -> {
			factory.setProtocol(GuardedHttp11Protocol.class.getName());
			factory.addConnectorCustomizers((connector) -> limit(connector, maxHeadBytes, requests));
			if (servlet.threads() == Threads.VIRTUAL) {
				factory.addProtocolHandlerCustomizers(virtualThreads());
			}
		};
	}

	private static void limit(Connector connector, int maxHeadBytes, RequestLimit requests) {
		// Reading a parameter must not read a form into memory.
		connector.setParseBodyMethods("");
		// The size of the head bounds both. Tomcat's own limits would refuse well-formed
		// requests.
		connector.setMaxParameterCount(-1);
		connector.setMaxCookieCount(-1);
		if (connector.getProtocolHandler() instanceof GuardedHttp11Protocol protocol) {
			protocol.limit(connector, maxHeadBytes, requests);
			// Tomcat counts differently; the limit above applies.
			protocol.setMaxHttpRequestHeaderSize(maxHeadBytes + 1024);
			protocol.setMaxHeaderCount(RequestFraming.MAX_FIELDS + 1);
			// RequestFraming bounds each chunk's line; Tomcat would count all of them.
			protocol.setMaxExtensionSize(-1);
			protocol.setMaxTrailerSize(maxHeadBytes + 1024);
			// Further connections wait in the backlog.
			protocol.setMaxConnections(requests.connections().maxConnections());
			// Each connection has two buffers in the heap, busy or not. An order is
			// smaller than one, so Tomcat's 8 KB would be twice what is needed.
			protocol.setProperty("socket.appReadBufSize", "4096");
			protocol.setProperty("socket.appWriteBufSize", "4096");
			protocol.setProperty("socket.txBufSize", Integer.toString(ConnectionProperties.SEND_BUFFER_BYTES));
		}
	}

	/** At most one for each connection: {@code sluice.max-connections}. */
	private static TomcatProtocolHandlerCustomizer<?> virtualThreads() {
		return (protocol) -> protocol
			.setExecutor(new InTurn(Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("http-", 0).factory()),
					Runtime.getRuntime().availableProcessors()));
	}

}
