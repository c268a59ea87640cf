package dev.sluice.management;

import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextType;
import org.springframework.boot.reactor.netty.NettyReactiveWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import reactor.netty.resources.LoopResources;

/**
 * The server of health and metrics: an event loop of its own, so that no number of
 * requests to the API delays an answer. It is in a package that the gateway does not
 * scan, because it belongs to the management context only.
 */
@ManagementContextConfiguration(value = ManagementContextType.CHILD, proxyBeanMethods = false)
class ManagementServer {

	@Bean(destroyMethod = "dispose")
	LoopResources managementLoops() {
		return LoopResources.create("management", 1, 1, true);
	}

	@Bean
	WebServerFactoryCustomizer<NettyReactiveWebServerFactory> managementContainer(LoopResources managementLoops) {
		return (factory) -> factory.addServerCustomizers((server) -> server.runOn(managementLoops, false));
	}

}
