package dev.sluice.lab.pool;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.ManagedHttpClientConnectionFactory;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.core5.http.impl.DefaultConnectionReuseStrategy;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.pool.PoolStats;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;

/**
 * Connections to one server, with the settings of the HTTP agent that repaired the
 * reference's client: a maximum number of connections, and a maximum number of unused
 * ones to keep. Thread-safe. A caller blocks while it waits for a connection or an
 * answer, so it should be a virtual thread.
 */
final class ConnectionPool implements AutoCloseable {

	private static final Timeout CONNECT = Timeout.ofSeconds(10);

	private final URI target;

	private final PoolingHttpClientConnectionManager connections;

	private final CloseableHttpClient client;

	private final AtomicLong opened = new AtomicLong();

	/**
	 * The settings.
	 *
	 * @param most maximum number of connections at once
	 * @param mostFree maximum number of unused connections to keep; 0 to use each once
	 * @param answer time limit of an answer
	 * @param free time after which an unused connection is closed
	 */
	record Limits(int most, int mostFree, Duration answer, Duration free) {

		/** The reference's limits. */
		static final Limits KEPT = new Limits(40, 10, Duration.ofSeconds(60), Duration.ofSeconds(300));

		/** A new connection for each message, without a maximum. */
		static final Limits NEW = new Limits(Integer.MAX_VALUE, 0, Duration.ofSeconds(60), Duration.ZERO);

	}

	/**
	 * Opens nothing yet.
	 * @param target http URI that each message asks for
	 */
	ConnectionPool(URI target, Limits limits) {
		this.target = target;
		this.connections = PoolingHttpClientConnectionManagerBuilder.create()
			.setMaxConnTotal(limits.most())
			.setMaxConnPerRoute(limits.most())
			.setConnectionFactory((socket) -> {
				this.opened.incrementAndGet();
				return ManagedHttpClientConnectionFactory.INSTANCE.createConnection(socket);
			})
			.setDefaultConnectionConfig(ConnectionConfig.custom()
				.setConnectTimeout(CONNECT)
				.setSocketTimeout(Timeout.of(limits.answer()))
				.build())
			.build();
		this.client = HttpClients.custom()
			.setConnectionManager(this.connections)
			.setConnectionReuseStrategy(
					(request, response, context) -> this.connections.getTotalStats().getAvailable() < limits.mostFree()
							&& DefaultConnectionReuseStrategy.INSTANCE.keepAlive(request, response, context))
			.setKeepAliveStrategy((_, _) -> TimeValue.of(limits.free()))
			// The dispatcher tries again, and counts that.
			.disableAutomaticRetries()
			.build();
	}

	/**
	 * Sends one message.
	 * @throws IOException if there is no answer, or it is an error
	 */
	void exchange() throws IOException {
		int status = this.client.execute(new HttpGet(this.target), (answer) -> {
			EntityUtils.consume(answer.getEntity());
			return answer.getCode();
		});
		if (status / 100 != 2) {
			throw new IOException("no success: " + status);
		}
	}

	/** Connections that are open now. */
	int open() {
		PoolStats stats = this.connections.getTotalStats();
		return stats.getLeased() + stats.getAvailable();
	}

	/** Connections opened since the beginning, refused ones among them. */
	long opened() {
		return this.opened.get();
	}

	/** Closes every connection. Exchanges in progress fail. */
	@Override
	public void close() {
		this.client.close(CloseMode.IMMEDIATE);
	}

}
