package dev.sluice.gateway.core.config;

import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;
import org.springframework.stereotype.Component;

/** A gateway does not start if it is asked for HTTP/2, which is left to the ingress. */
@Component
final class Http11Only {

	Http11Only(ServerProperties server) {
		if (server.getHttp2().isEnabled()) {
			throw new InvalidConfigurationPropertyValueException("server.http2.enabled", true,
					"A gateway speaks HTTP/1.1, with or without TLS. HTTP/2 is left to the ingress: let a proxy in "
							+ "front of the gateways serve it, and connect the proxy to them over HTTP/1.1.");
		}
	}

}
