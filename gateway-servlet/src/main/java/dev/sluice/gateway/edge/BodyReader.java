package dev.sluice.gateway.edge;

import java.io.IOException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;

import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.http.BodyMemory;
import dev.sluice.gateway.core.limit.RequestLimit;
import dev.sluice.gateway.core.problem.ProblemException;
import jakarta.annotation.PreDestroy;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;

/**
 * Reads the body of a request whose handler takes a {@link ReceivedBody}, before the
 * handler is called, within the limits of {@link BodyMemory}. A body that arrived with
 * its head is read at once. For any other one the container's thread is released: the
 * rest is read as it arrives, and then the request is dispatched again; it has no place
 * of {@link RequestLimit} meanwhile. Bodies of requests with other handlers are not read.
 */
@Component
public final class BodyReader implements HandlerInterceptor {

	/** Name of the request attribute that holds the {@link ReceivedBody}. */
	public static final String BODY = "dev.sluice.gateway.edge.ReceivedBody";

	private final Deadlines deadlines = new Deadlines("body-deadlines");

	private final BodyMemory memory;

	BodyReader(BodyMemory memory) {
		this.memory = memory;
	}

	@Override
	public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler)
			throws IOException {
		if (!takesBody(handler)) {
			return true;
		}
		ReceivedBody body = (ReceivedBody) request.getAttribute(BODY);
		if (body == null) {
			body = read(request);
			if (body == null) {
				return false;
			}
			request.setAttribute(BODY, body);
		}
		else {
			body = placed(body, ClientConnection.of(request));
			request.setAttribute(BODY, body);
		}
		if (body.problem() == null) {
			// Nothing is left of the request that would prevent the next one on the
			// connection.
			response.setHeader(HttpHeaders.CONNECTION, null);
		}
		return true;
	}

	/** Takes a place again for a request whose body has been read. */
	private static ReceivedBody placed(ReceivedBody body, ClientConnection connection) {
		try {
			if (body.problem() == null) {
				connection.place().take();
			}
			return body;
		}
		catch (ProblemException ex) {
			return ReceivedBody.refused(ex);
		}
	}

	private static boolean takesBody(Object handler) {
		if (handler instanceof HandlerMethod method) {
			for (MethodParameter parameter : method.getMethodParameters()) {
				if (parameter.getParameterType() == ReceivedBody.class) {
					return true;
				}
			}
		}
		return false;
	}

	/**
	 * Reads a body.
	 * @return the body, null if the rest of it is read as it arrives
	 */
	private @Nullable ReceivedBody read(HttpServletRequest request) throws IOException {
		BodyMemory.Body begun;
		try {
			begun = this.memory.begin(request.getContentLengthLong());
		}
		catch (ProblemException ex) {
			return ReceivedBody.refused(ex);
		}
		Reading reading = new Reading(request, begun);
		ReceivedBody body = reading.readNow();
		if (body == null) {
			reading.readOn();
		}
		return body;
	}

	@PreDestroy
	void close() {
		this.deadlines.close();
	}

	/** One body. Its buffer is used by one thread at a time. */
	private final class Reading implements ReadListener {

		private final HttpServletRequest request;

		private final ServletInputStream in;

		private final ClientConnection connection;

		/** The announced length, negative if none is. */
		private final long length;

		private final BodyMemory.Body body;

		private final AtomicBoolean ended = new AtomicBoolean();

		private @Nullable AsyncContext async;

		private volatile @Nullable Future<?> deadline;

		Reading(HttpServletRequest request, BodyMemory.Body body) throws IOException {
			this.request = request;
			this.in = request.getInputStream();
			this.connection = ClientConnection.of(request);
			this.length = request.getContentLengthLong();
			this.body = body;
		}

		/**
		 * Reads the body if Tomcat has all of it: then no read waits.
		 * @return the body, null if it has not arrived
		 */
		@Nullable ReceivedBody readNow() {
			if (!this.connection.isRequestComplete()) {
				this.connection.expectBody();
				this.connection.receive();
			}
			boolean arrived = this.connection.isRequestComplete() || this.connection.isRequestBroken();
			ReceivedBody received = arrived ? read(true) : null;
			if (received != null) {
				this.body.release();
			}
			return received;
		}

		/** Reads the rest as it arrives, while no thread waits. */
		void readOn() {
			this.connection.place().give();
			AsyncContext context = this.request.startAsync();
			context.setTimeout(0);
			this.async = context;
			this.in.setReadListener(this);
			this.deadline = BodyReader.this.deadlines.after(BodyReader.this.memory.timeout(),
					() -> end(ReceivedBody.unreadable(ProblemType.REQUEST_TIMEOUT)));
		}

		/**
		 * Reads the bytes that are available.
		 * @param arrived whether the whole body is
		 * @return the body, null if it is not complete
		 */
		private @Nullable ReceivedBody read(boolean arrived) {
			try {
				while (arrived || this.in.isReady()) {
					if (this.connection.isRequestBroken()) {
						return ReceivedBody.unreadable(ProblemType.INVALID_REQUEST);
					}
					this.body.reserve(1);
					if (this.body.fill(this.in::read) < 0 || this.body.count() == this.length) {
						return ReceivedBody.of(this.body.bytes());
					}
				}
				return null;
			}
			catch (ProblemException ex) {
				return ReceivedBody.refused(ex);
			}
			catch (IOException _) {
				return ReceivedBody.unreadable(ProblemType.INVALID_REQUEST);
			}
		}

		@Override
		public void onDataAvailable() {
			if (!this.ended.get()) {
				ReceivedBody received = read(false);
				if (received != null) {
					end(received);
				}
			}
		}

		@Override
		public void onAllDataRead() {
			end(ReceivedBody.of(this.body.bytes()));
		}

		/** The client has disconnected. */
		@Override
		public void onError(Throwable failure) {
			AsyncContext context = this.async;
			if (finish() && context != null) {
				context.complete();
			}
		}

		private void end(ReceivedBody received) {
			AsyncContext context = this.async;
			if (finish() && context != null) {
				this.request.setAttribute(BODY, received);
				try {
					context.dispatch();
				}
				catch (IllegalStateException _) {
					// The connection failed at the same moment, and Tomcat has ended the
					// request.
				}
			}
		}

		private boolean finish() {
			if (!this.ended.compareAndSet(false, true)) {
				return false;
			}
			Future<?> pending = this.deadline;
			if (pending != null) {
				pending.cancel(false);
			}
			this.body.release();
			return true;
		}

	}

}
