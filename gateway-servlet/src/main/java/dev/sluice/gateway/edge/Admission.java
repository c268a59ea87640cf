package dev.sluice.gateway.edge;

import java.io.IOException;

import com.google.errorprone.annotations.ThreadSafe;
import dev.sluice.gateway.core.limit.RequestLimit;
import dev.sluice.gateway.core.problem.ProblemException;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.servlet.HandlerExceptionResolver;

/**
 * Every request of the API passes here first and takes a place of {@link RequestLimit}. A
 * request that waits for the rest of its body gives its place up, see {@link BodyReader}.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE + 10)
@ThreadSafe
final class Admission extends OncePerRequestFilter {

	private final RequestLimit limit;

	private final HandlerExceptionResolver problems;

	Admission(RequestLimit limit, @Qualifier("handlerExceptionResolver") HandlerExceptionResolver problems) {
		this.limit = limit;
		this.problems = problems;
	}

	/** A request whose body had to be waited for comes in when that has been read. */
	@Override
	protected boolean shouldNotFilterAsyncDispatch() {
		return false;
	}

	@Override
	protected boolean shouldNotFilter(HttpServletRequest request) {
		return request.getDispatcherType() == DispatcherType.ASYNC && !BodyReader.hasRead(request);
	}

	@Override
	protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		closeAfterUnfinished(request, response);
		RequestLimit.Place place = this.limit.arrive();
		try {
			if (take(place, request, response)) {
				chain.doFilter(request, response);
			}
		}
		finally {
			if (request.isAsyncStarted() && !BodyReader.isReading(request)) {
				request.getAsyncContext().addListener(new Completion(place));
			}
			else {
				place.close();
			}
		}
	}

	private boolean take(RequestLimit.Place place, HttpServletRequest request, HttpServletResponse response) {
		try {
			place.take();
			return true;
		}
		catch (ProblemException ex) {
			if (place.isTooLate()) {
				response.setHeader(HttpHeaders.CONNECTION, "close");
			}
			this.problems.resolveException(request, response, null, ex);
			return false;
		}
	}

	/**
	 * Tomcat would read a body that is not read, or not complete, as the next request.
	 */
	private static void closeAfterUnfinished(HttpServletRequest request, HttpServletResponse response) {
		ClientConnection connection = ClientConnection.of(request);
		if (connection != null && !connection.isRequestComplete()) {
			connection.receive();
			if (!connection.isRequestComplete()) {
				response.setHeader(HttpHeaders.CONNECTION, "close");
			}
		}
	}

	/** Closes the place of a request that is answered on another thread. */
	private record Completion(RequestLimit.Place place) implements AsyncListener {

		@Override
		public void onComplete(AsyncEvent event) {
			this.place.close();
		}

		@Override
		public void onTimeout(AsyncEvent event) {
		}

		@Override
		public void onError(AsyncEvent event) {
		}

		@Override
		public void onStartAsync(AsyncEvent event) {
		}

	}

}
