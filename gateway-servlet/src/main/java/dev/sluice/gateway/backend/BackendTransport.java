package dev.sluice.gateway.backend;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;

import dev.sluice.gateway.async.AsyncBackendTransport;
import dev.sluice.gateway.core.backend.BackendRequest;
import dev.sluice.gateway.core.backend.BackendResponse;
import org.apache.hc.client5.http.ConnectTimeoutException;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpHeaders;
import org.apache.hc.core5.http.MessageHeaders;
import org.jspecify.annotations.Nullable;

/**
 * One request to the backend and its answer, over a pool of kept connections. It is the
 * one place where the thread models differ: {@link BlockingBackendTransport} holds the
 * calling thread, {@link AsyncBackendTransport} none. For any number of threads; who
 * calls bounds how many at once.
 */
public interface BackendTransport extends AutoCloseable {

	/** The largest answer that is read, in bytes. An answer is far smaller. */
	int MAX_ANSWER_BYTES = 64 * 1024;

	/**
	 * Sends a request.
	 * @param request what to send
	 * @param limit how long it may take in all; then the connection is closed
	 * @return the answer; fails with {@link TimeoutException} at the limit and
	 * {@link IOException} if there was no connection or it broke
	 */
	CompletionStage<BackendResponse> send(BackendRequest request, Duration limit);

	/**
	 * What an exchange fails with. The client's own time limit, which is for one read and
	 * as long, may be noticed before the one for all; that of a connect is none.
	 */
	static Exception failure(IOException ex) {
		return (ex instanceof SocketTimeoutException && !(ex instanceof ConnectTimeoutException))
				? new TimeoutException() : ex;
	}

	/** The header of an answer, or null. */
	static @Nullable String retryAfter(MessageHeaders answer) {
		Header header = answer.getFirstHeader(HttpHeaders.RETRY_AFTER);
		return (header != null) ? header.getValue() : null;
	}

	@Override
	void close();

}
