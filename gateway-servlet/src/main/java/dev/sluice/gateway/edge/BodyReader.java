package dev.sluice.gateway.edge;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import com.google.errorprone.annotations.ThreadSafe;
import dev.sluice.contract.Order;
import dev.sluice.contract.Placed;
import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.config.ConnectionProperties;
import dev.sluice.gateway.core.problem.ProblemException;
import jakarta.annotation.PreDestroy;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletRequest;
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
 * handler is called. A body that has come in with its head is read at once. For any other
 * one the container's thread goes back: the rest is read as it comes in, and then the
 * request is dispatched again. No request without such a handler has its body read.
 * <p>
 * A body has {@code sluice.body-timeout}, must come in with {@code sluice.min-body-rate}
 * and may have {@link Order#MAX_BYTES}. All unfinished bodies together have
 * {@code sluice.max-body-memory}; a request beyond it is refused with 503.
 */
@Component
@ThreadSafe
public final class BodyReader implements HandlerInterceptor {

	/** Name of the request attribute that holds the {@link ReceivedBody}. */
	public static final String BODY = "dev.sluice.gateway.edge.ReceivedBody";

	private static final String READING = "dev.sluice.gateway.edge.BodyReader.reading";

	/** Capacity that a buffer begins with, in bytes. */
	private static final int FIRST_CAPACITY = 2 * 1024;

	private static final Duration CHECK_INTERVAL = Duration.ofSeconds(1);

	private final Deadlines deadlines = new Deadlines("body-deadlines");

	private final AtomicLong held = new AtomicLong();

	private final Duration timeout;

	private final long minBytesPerSecond;

	private final long maxHeld;

	BodyReader(ConnectionProperties properties) {
		this.timeout = properties.bodyTimeout();
		this.minBytesPerSecond = properties.minBodyRate().toBytes();
		this.maxHeld = properties.maxBodyMemory().toBytes();
	}

	/** Whether the request waits for the rest of its body, and holds no thread. */
	static boolean isReading(ServletRequest request) {
		return request.getAttribute(READING) != null && request.getAttribute(BODY) == null;
	}

	/**
	 * Whether the request is dispatched again because its body was read; once.
	 * @return true for the first call after that
	 */
	static boolean hasRead(ServletRequest request) {
		boolean read = request.getAttribute(READING) != null && request.getAttribute(BODY) != null;
		if (read) {
			request.removeAttribute(READING);
		}
		return read;
	}

	@Override
	public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler)
			throws IOException {
		if (!takesBody(handler)) {
			return true;
		}
		ReceivedBody body = (ReceivedBody) request.getAttribute(BODY);
		if (body == null) {
			Reading reading = new Reading(request);
			body = reading.readNow();
			if (body == null) {
				reading.readOn();
				return false;
			}
			request.setAttribute(BODY, body);
		}
		if (body.problem() == null) {
			// Nothing of the request is left that would keep the connection from the
			// next.
			response.setHeader(HttpHeaders.CONNECTION, null);
		}
		return true;
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

	private boolean hold(int bytes) {
		if (this.held.addAndGet(bytes) <= this.maxHeld) {
			return true;
		}
		this.held.addAndGet(-bytes);
		return false;
	}

	@PreDestroy
	void close() {
		this.deadlines.close();
	}

	/** One body. Its buffer is used by one thread at a time. */
	private final class Reading implements ReadListener {

		private final HttpServletRequest request;

		private final ServletInputStream in;

		private final @Nullable ClientConnection connection;

		/** What is announced, negative if nothing is. */
		private final long length;

		private final long startNanos = System.nanoTime();

		private final AtomicBoolean ended = new AtomicBoolean();

		private byte[] buffer = new byte[0];

		/** Written by the thread that reads, read by the one that watches the rate. */
		private volatile int count;

		private int heldBytes;

		private @Nullable AsyncContext async;

		private volatile @Nullable Future<?> check;

		Reading(HttpServletRequest request) throws IOException {
			this.request = request;
			this.in = request.getInputStream();
			this.connection = ClientConnection.of(request);
			this.length = request.getContentLengthLong();
		}

		/**
		 * Reads what is there, without waiting.
		 * @return the body, null if more must come
		 */
		@Nullable ReceivedBody readNow() {
			if (this.length > Order.MAX_BYTES) {
				return ReceivedBody.unreadable(ProblemType.TOO_LARGE);
			}
			ReceivedBody body = (this.connection != null) ? read(this::isReadable) : null;
			if (body != null) {
				release();
			}
			return body;
		}

		/** Without a listener, Tomcat waits for bytes unless it knows of some. */
		private boolean isReadable() throws IOException {
			ClientConnection current = this.connection;
			if (current == null) {
				return false;
			}
			if (current.isRequestComplete()) {
				return true;
			}
			current.expectBody();
			if (this.in.available() > 0) {
				// Tomcat would receive over what it holds. And of chunks it may hold no
				// more
				// than a size, and would wait for the rest.
				return this.length >= 0;
			}
			int received = current.receive();
			if (current.isRequestComplete() || current.isRequestBroken()) {
				return true;
			}
			// Tomcat would wait for the end of a chunk's size.
			return this.length >= 0 && received > 0;
		}

		/** Reads the rest as it comes in, while no thread waits. */
		void readOn() {
			this.request.setAttribute(READING, this);
			AsyncContext context = this.request.startAsync();
			context.setTimeout(0);
			this.async = context;
			this.in.setReadListener(this);
			watch();
		}

		private @Nullable ReceivedBody read(Readiness readiness) {
			try {
				while (readiness.isReady()) {
					if (this.connection != null && this.connection.isRequestBroken()) {
						return ReceivedBody.unreadable(ProblemType.INVALID_REQUEST);
					}
					if (this.count == this.buffer.length && !grow()) {
						return ReceivedBody.refused(new ProblemException(ProblemType.OVERLOADED,
								"Too many requests are being received.", Placed.NO));
					}
					int read = this.in.read(this.buffer, this.count, this.buffer.length - this.count);
					if (read < 0) {
						return ReceivedBody.of(Arrays.copyOf(this.buffer, this.count));
					}
					this.count = this.count + read;
					if (this.count > Order.MAX_BYTES) {
						return ReceivedBody.unreadable(ProblemType.TOO_LARGE);
					}
					if (this.count == this.length) {
						return ReceivedBody.of(this.buffer);
					}
				}
				return null;
			}
			catch (IOException _) {
				return ReceivedBody.unreadable(ProblemType.INVALID_REQUEST);
			}
		}

		/** Up to what is announced, else up to one byte more than is allowed. */
		private boolean grow() {
			int most = (this.length > 0) ? (int) this.length : Order.MAX_BYTES + 1;
			boolean complete = this.connection != null && this.connection.isRequestComplete();
			int capacity = (complete && this.count == 0) ? most
					: Math.min(most, Math.max(FIRST_CAPACITY, 2 * this.buffer.length));
			int more = capacity - this.buffer.length;
			if (!hold(more)) {
				return false;
			}
			this.heldBytes += more;
			this.buffer = Arrays.copyOf(this.buffer, capacity);
			return true;
		}

		private void release() {
			BodyReader.this.held.addAndGet(-this.heldBytes);
			this.heldBytes = 0;
		}

		/** Looks whether the body is late, once a second after the grace period. */
		private void watch() {
			Duration passed = Duration.ofNanos(System.nanoTime() - this.startNanos);
			Duration left = BodyReader.this.timeout.minus(passed);
			if (!left.isPositive() || isTooSlow(passed)) {
				end(ReceivedBody.unreadable(ProblemType.REQUEST_TIMEOUT));
			}
			else if (!this.ended.get()) {
				this.check = BodyReader.this.deadlines.after(nextCheck(passed, left), this::watch);
			}
		}

		private boolean isTooSlow(Duration passed) {
			return passed.compareTo(ConnectionProperties.RATE_GRACE) >= 0
					&& this.count < BodyReader.this.minBytesPerSecond * passed.toMillis() / 1000;
		}

		private Duration nextCheck(Duration passed, Duration left) {
			if (BodyReader.this.minBytesPerSecond == 0) {
				return left;
			}
			Duration grace = ConnectionProperties.RATE_GRACE.minus(passed);
			Duration next = grace.isPositive() ? grace : CHECK_INTERVAL;
			return (next.compareTo(left) < 0) ? next : left;
		}

		@Override
		public void onDataAvailable() {
			if (!this.ended.get()) {
				ReceivedBody body = read(this.in::isReady);
				if (body != null) {
					end(body);
				}
			}
		}

		@Override
		public void onAllDataRead() {
			end(ReceivedBody.of(Arrays.copyOf(this.buffer, this.count)));
		}

		/** The client is gone. */
		@Override
		public void onError(Throwable failure) {
			AsyncContext context = this.async;
			if (finish() && context != null) {
				context.complete();
			}
		}

		private void end(ReceivedBody body) {
			AsyncContext context = this.async;
			if (finish() && context != null) {
				this.request.setAttribute(BODY, body);
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
			Future<?> pending = this.check;
			if (pending != null) {
				pending.cancel(false);
			}
			release();
			return true;
		}

	}

	/** Whether a read does not wait. */
	@FunctionalInterface
	private interface Readiness {

		boolean isReady() throws IOException;

	}

}
