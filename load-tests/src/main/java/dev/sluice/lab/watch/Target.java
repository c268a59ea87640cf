package dev.sluice.lab.watch;

import java.net.URI;

import dev.sluice.devservices.Ports;

/**
 * A service to be watched.
 *
 * @param name what it is called on the page
 * @param uri where it serves HTTP, without a path
 */
record Target(String name, URI uri) {

	/** Its metrics in Prometheus's text format. */
	URI metrics() {
		return this.uri.resolve("/actuator/prometheus");
	}

	/**
	 * Reads {@code name=uri}.
	 * @throws IllegalArgumentException if it is not of that form
	 */
	static Target of(String text) {
		int equals = text.indexOf('=');
		try {
			URI uri = URI.create(text.substring(equals + 1).strip());
			if (equals > 0 && "http".equals(uri.getScheme()) && uri.getHost() != null
					&& uri.getPort() <= Ports.GREATEST) {
				return new Target(text.substring(0, equals).strip(), uri);
			}
		}
		catch (IllegalArgumentException _) {
			// Said below.
		}
		throw new IllegalArgumentException("'%s' is not like gateway=http://127.0.0.1:8080".formatted(text));
	}

}
