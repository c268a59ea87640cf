package dev.sluice.gateway.backend;

import java.io.IOException;
import java.io.InterruptedIOException;

import org.apache.hc.client5.http.HttpRequestRetryStrategy;
import org.apache.hc.core5.http.EndpointDetails;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.http.protocol.HttpCoreContext;
import org.apache.hc.core5.util.TimeValue;

/**
 * Sends a request once more whose kept connection ended before the answer began: the
 * backend may have closed it just before the request came.
 */
public final class StaleConnections implements HttpRequestRetryStrategy {

	/** Of the context of a request whose answer has begun. */
	private static final String ANSWERED = "answered";

	@Override
	public boolean retryRequest(HttpRequest request, IOException failure, int count, HttpContext context) {
		EndpointDetails connection = HttpCoreContext.cast(context).getEndpointDetails();
		return count == 1 && connection != null && connection.getReceivedBytesCount() > 0
				&& context.getAttribute(ANSWERED) == null && !(failure instanceof InterruptedIOException);
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
