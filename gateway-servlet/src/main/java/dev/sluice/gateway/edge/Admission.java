package dev.sluice.gateway.edge;

import java.io.IOException;

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
 * request that waits for the rest of its body gives its place to others meanwhile, see
 * {@link BodyReader}. It is then answered even if the gateway stops, but refused if no
 * place is free.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE + 10)
final class Admission extends OncePerRequestFilter {

	private static final String PLACE = "dev.sluice.gateway.edge.Admission.place";

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
		RequestLimit.Place place = (RequestLimit.Place) request.getAttribute(PLACE);
		boolean admitted;
		if (place == null) {
			place = this.limit.arrive();
			request.setAttribute(PLACE, place);
			admitted = take(place, request, response);
		}
		else {
			takeAgain(place, request);
			admitted = true;
		}
		try {
			if (admitted) {
				chain.doFilter(request, response);
			}
		}
		finally {
			if (!request.isAsyncStarted()) {
				place.close();
			}
			else {
				if (BodyReader.isReading(request)) {
					place.give();
				}
				request.getAsyncContext().addListener(new Completion(place));
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
	 * Takes a place for a request whose body has been read. If none is free, the handler
	 * answers, as for any other problem of the body.
	 */
	private static void takeAgain(RequestLimit.Place place, HttpServletRequest request) {
		try {
			place.take();
		}
		catch (ProblemException ex) {
			BodyReader.refuse(request, ex);
		}
	}

	/** {@link BodyReader} reverts this when it has read the body. */
	private static void closeAfterUnread(HttpServletRequest request, HttpServletResponse response) {
		boolean hasBody = request.getContentLengthLong() > 0
				|| request.getHeader(HttpHeaders.TRANSFER_ENCODING) != null;
		if (hasBody) {
			response.setHeader(HttpHeaders.CONNECTION, "close");
		}
	}

	/** Closes the place of a request that is answered. */
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
