package dev.sluice.gateway.edge;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;

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
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.DeferredResultProcessingInterceptor;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.config.annotation.AsyncSupportConfigurer;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Every request of the API passes here first and takes a place of {@link RequestLimit}. A
 * request that waits for the rest of its body gives up its place, see {@link BodyReader}.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE + 10)
@ThreadSafe
final class Admission extends OncePerRequestFilter {

	private static final String COMPLETION = "dev.sluice.gateway.edge.Admission.completion";

	private final RequestLimit limit;

	private final HandlerExceptionResolver problems;

	Admission(RequestLimit limit, @Qualifier("handlerExceptionResolver") HandlerExceptionResolver problems) {
		this.limit = limit;
		this.problems = problems;
	}

	/** A request that had to wait for its body passes when the body has been read. */
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
		closeAfterUnread(request, response);
		RequestLimit.Place place = this.limit.arrive();
		Completion completion = new Completion(place);
		request.setAttribute(COMPLETION, completion);
		try {
			if (take(place, request, response)) {
				chain.doFilter(request, response);
			}
		}
		finally {
			if (request.isAsyncStarted() && !BodyReader.isReading(request)) {
				request.getAsyncContext().addListener(completion);
			}
			else {
				completion.run();
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

	/** {@link BodyReader} reverts this when it has read the body. */
	private static void closeAfterUnread(HttpServletRequest request, HttpServletResponse response) {
		boolean hasBody = request.getContentLengthLong() > 0
				|| request.getHeader(HttpHeaders.TRANSFER_ENCODING) != null;
		if (hasBody && ClientConnection.of(request) != null) {
			response.setHeader(HttpHeaders.CONNECTION, "close");
		}
	}

	/**
	 * Closes the place of an HTTP/2 request whose answer was produced on another thread.
	 * Tomcat never completes such a request if it has closed the stream before, because
	 * the client broke a rule.
	 */
	@Component
	static final class Results implements DeferredResultProcessingInterceptor, WebMvcConfigurer {

		@Override
		public void configureAsyncSupport(AsyncSupportConfigurer async) {
			async.registerDeferredResultInterceptors(this);
		}

		@Override
		public <T> void postProcess(NativeWebRequest request, DeferredResult<T> deferred, @Nullable Object result) {
			HttpServletRequest answered = request.getNativeRequest(HttpServletRequest.class);
			if (answered != null && answered.getProtocol().startsWith("HTTP/2")
					&& answered.getAttribute(COMPLETION) instanceof Completion completion) {
				completion.run();
			}
		}

	}

	/** Closes the place of a request that is answered, once. */
	private static final class Completion implements AsyncListener {

		private final RequestLimit.Place place;

		private final AtomicBoolean done = new AtomicBoolean();

		Completion(RequestLimit.Place place) {
			this.place = place;
		}

		void run() {
			if (this.done.compareAndSet(false, true)) {
				this.place.close();
			}
		}

		@Override
		public void onComplete(AsyncEvent event) {
			run();
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
