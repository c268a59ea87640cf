package dev.sluice.lab.watch;

import java.net.URI;

import dev.sluice.devservices.Ports;

/**
 * A service to watch.
 *
 * @param name its name on the page
 * @param uri its HTTP address, without a path
 */
record Target(String name, URI uri) {

	/** URI of its metrics in Prometheus's text format. */
	URI metrics() {
		return this.uri.resolve("/actuator/prometheus");
	}

	/**
	 * Reads {@code name=uri}.
	 * @throws IllegalArgumentException if the text does not have that form
	 */
	static Target of(String text) {
		int equals = text.indexOf('=');
		try {
			URI uri = URI.create(text.substring(equals + 1).strip());
			if (equals > 0 && "http".equals(uri.getScheme()) && uri.getHost() != null && uri.getPort() <= Ports.MAX) {
				return new Target(text.substring(0, equals).strip(), uri);
			}
		}
		catch (IllegalArgumentException _) {
			// Reported below.
		}
		throw new IllegalArgumentException("'%s' is not like gateway=http://127.0.0.1:8080".formatted(text));
	}

}
