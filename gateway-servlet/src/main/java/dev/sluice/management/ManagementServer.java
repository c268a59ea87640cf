package dev.sluice.management;

import org.apache.coyote.AbstractProtocol;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextType;
import org.springframework.boot.tomcat.TomcatProtocolHandlerCustomizer;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;

/**
 * The server of health and metrics: a few threads of its own, so that no number of
 * requests to the API delays an answer. It is in a package that the gateway does not
 * scan, because it belongs to the management context only.
 */
@ManagementContextConfiguration(value = ManagementContextType.CHILD, proxyBeanMethods = false)
class ManagementServer {

	private static final int MAX_THREADS = 4;

	private static final int MAX_CONNECTIONS = 64;

	@Bean
	WebServerFactoryCustomizer<TomcatServletWebServerFactory> managementContainer() {
		return (factory) -> factory.addProtocolHandlerCustomizers(smallContainer());
	}

	private static TomcatProtocolHandlerCustomizer<AbstractProtocol<?>> smallContainer() {
		return (protocol) -> {
			protocol.setMaxThreads(MAX_THREADS);
			protocol.setMinSpareThreads(1);
			protocol.setMaxConnections(MAX_CONNECTIONS);
		};
	}

}
