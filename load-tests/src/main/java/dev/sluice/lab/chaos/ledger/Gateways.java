package dev.sluice.lab.chaos.ledger;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.List;

import javax.net.ssl.SSLContext;

import dev.sluice.lab.kit.stack.Http;
import org.jspecify.annotations.Nullable;

/**
 * The gateways that get orders and look-ups, and the means of access.
 *
 * @param all the gateways, at least one, in the order in which they are tried
 * @param tls context that trusts them; null for the JDK's default
 * @param authorization value of the header of that name; null to send none
 */
public record Gateways(List<Gateway> all, @Nullable SSLContext tls, @Nullable String authorization) {

	/**
	 * A gateway.
	 *
	 * @param name its name in the results
	 * @param uri without a path
	 */
	public record Gateway(String name, URI uri) {
	}

	public Gateways {
		all = List.copyOf(all);
	}

	public Gateway inTurn(int turn) {
		return this.all.get(Math.floorMod(turn, this.all.size()));
	}

	HttpRequest.Builder request(Gateway gateway, String path) {
		HttpRequest.Builder request = HttpRequest.newBuilder(gateway.uri().resolve(path));
		return (this.authorization != null) ? request.header("Authorization", this.authorization) : request;
	}

	HttpClient client(Duration connectTimeout) {
		HttpClient.Builder client = Http.builder(connectTimeout);
		return ((this.tls != null) ? client.sslContext(this.tls) : client).build();
	}

}
