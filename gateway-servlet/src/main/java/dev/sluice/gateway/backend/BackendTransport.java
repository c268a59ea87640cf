package dev.sluice.gateway.backend;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeoutException;

import dev.sluice.gateway.core.backend.BackendRequest;
import dev.sluice.gateway.core.backend.BackendResponse;
import dev.sluice.gateway.core.config.BackendProperties;
import org.apache.hc.client5.http.ConnectTimeoutException;
import org.apache.hc.client5.http.HttpRequestRetryStrategy;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.EndpointDetails;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpHeaders;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.MessageConstraintException;
import org.apache.hc.core5.http.MessageHeaders;
import org.apache.hc.core5.http.RequestNotExecutedException;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.http.protocol.HttpCoreContext;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests to the backend over a pool of keep-alive connections. The caller bounds
 * the number of concurrent requests.
 */
public interface BackendTransport extends AutoCloseable {

	/** Without a charset: JSON has none (RFC 8259). */
	ContentType JSON = ContentType.create("application/json");

	/**
	 * Sends a request and waits for the response.
	 * @param request the request
	 * @param limit maximum time of the whole exchange; then the connection is closed
	 * @return the response
	 * @throws TimeoutException at the limit
	 * @throws IOException if there was no connection or it broke
	 */
	BackendResponse send(BackendRequest request, Duration limit) throws IOException, TimeoutException;

	static ConnectionConfig connectionConfig(BackendProperties backend) {
		return ConnectionConfig.custom()
			.setConnectTimeout(Timeout.of(backend.connectTimeout()))
			.setValidateAfterInactivity(TimeValue.ofSeconds(1))
			.build();
	}

	static RequestConfig requestConfig(BackendProperties backend) {
		return RequestConfig.custom()
			// The limit of calls is not above the size of the pool, so a connection is
			// free.
			.setConnectionRequestTimeout(Timeout.of(backend.connectTimeout()))
			.setResponseTimeout(Timeout.of(backend.responseTimeout()))
			.setProtocolUpgradeEnabled(false)
			.build();
	}

	/**
	 * Ends exchanges that take too long, on one thread, whose tasks must not block. Holds
	 * one entry for each exchange in progress.
	 */
	static ScheduledExecutorService deadlines() {
		ScheduledThreadPoolExecutor deadlines = new ScheduledThreadPoolExecutor(1,
				Thread.ofPlatform().daemon().name("backend-deadlines").factory());
		// Nearly all are cancelled: they must not stay until they are due.
		deadlines.setRemoveOnCancelPolicy(true);
		return deadlines;
	}

	/**
	 * The failure of an exchange. The client's time limit for one read is as long as the
	 * one for the whole exchange, and may fire first, so it means the same. A connect
	 * timeout does not.
	 */
	static Exception failure(Exception ex) {
		return (ex instanceof SocketTimeoutException && !(ex instanceof ConnectTimeoutException))
				? new TimeoutException() : ex;
	}

	/** The response's {@code Retry-After}, or null. */
	static @Nullable String retryAfter(MessageHeaders response) {
		Header header = response.getFirstHeader(HttpHeaders.RETRY_AFTER);
		return (header != null) ? header.getValue() : null;
	}

	@Override
	void close();

	/**
	 * Sends a request once more whose kept connection ended before the answer began: the
	 * backend may have closed it just before the request came. Also one that the
	 * asynchronous client took back before it was sent.
	 */
	final class StaleConnections implements HttpRequestRetryStrategy {

		/** Each time, a kept connection is found to be unusable, and closed. */
		private static final int MAX_UNSENT = 10;

		/** Of the context of a request whose answer has begun. */
		private static final String ANSWERED = "answered";

		/** Of the context of a request that is sent once more. */
		private static final String AGAIN = "again";

		/** Whether the request of this context was sent once more. */
		public static boolean sentAgain(HttpContext context) {
			return context.getAttribute(AGAIN) != null;
		}

		@Override
		public boolean retryRequest(HttpRequest request, IOException failure, int count, HttpContext context) {
			EndpointDetails connection = HttpCoreContext.cast(context).getEndpointDetails();
			// The asynchronous client counts an answer as one more request.
			boolean kept = connection != null
					&& (connection.getResponseCount() > 0 || connection.getRequestCount() > 1);
			boolean ended = !(failure instanceof InterruptedIOException
					|| failure instanceof MessageConstraintException);
			boolean unsent = failure instanceof RequestNotExecutedException;
			boolean again = (unsent ? count < MAX_UNSENT : count == 1 && kept && ended)
					&& context.getAttribute(ANSWERED) == null;
			if (!unsent) {
				context.setAttribute(AGAIN, again ? true : null);
			}
			return again;
		}

		@Override
		public boolean retryRequest(HttpResponse response, int count, HttpContext context) {
			context.setAttribute(ANSWERED, true);
			return false;
		}

		@Override
		public TimeValue getRetryInterval(HttpResponse response, int count, HttpContext context) {
			return TimeValue.ZERO_MILLISECONDS;
		}

	}

}
