package dev.sluice.lab.kit.stack;

import java.net.http.HttpClient;
import java.time.Duration;

/** HTTP clients of the lab: HTTP/1.1, as the services speak it without TLS. */
public final class Http {

	/** Asks the lab's own questions; nobody closes it. */
	public static final HttpClient CLIENT = client(Duration.ofSeconds(5));

	private Http() {
	}

	/** A client that waits no longer than this for a connection. */
	public static HttpClient client(Duration connectTimeout) {
		return builder(connectTimeout).build();
	}

	/** Such a client, with more to set. */
	public static HttpClient.Builder builder(Duration connectTimeout) {
		return HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(connectTimeout);
	}

}
