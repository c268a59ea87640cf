package dev.sluice.gateway.edge;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

import com.google.errorprone.annotations.ThreadSafe;
import dev.sluice.contract.Order;
import dev.sluice.contract.Placed;
import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.config.ConnectionProperties;
import dev.sluice.gateway.core.problem.ProblemException;
import dev.sluice.gateway.core.problem.StandardProblem;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.stereotype.Component;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Reads the bodies of requests. A body has {@code sluice.body-timeout}, must come in with
 * {@code sluice.min-body-rate} and may have {@link Order#MAX_BYTES}. All unfinished
 * bodies together have {@code sluice.max-body-memory}; a request beyond it is refused
 * with 503. No thread waits for a body.
 */
@Component
@ThreadSafe
public final class BodyReader {

	/** Capacity that a buffer begins with, in bytes. */
	private static final int FIRST_CAPACITY = 2 * 1024;

	private static final int PREFETCH = 16;

	private static final Duration CHECK_INTERVAL = Duration.ofSeconds(1);

	private final AtomicLong held = new AtomicLong();

	private final Duration timeout;

	private final long minBytesPerSecond;

	private final long maxHeld;

	BodyReader(ConnectionProperties properties) {
		this.timeout = properties.bodyTimeout();
		this.minBytesPerSecond = properties.minBodyRate().toBytes();
		this.maxHeld = properties.maxBodyMemory().toBytes();
	}

	/**
	 * Reads the body of a request.
	 * @param request the request
	 * @return the whole body; fails with {@link ProblemException} if it is too large, too
	 * slow, ill-formed or cut off, or if there is no memory for it
	 */
	public Mono<byte[]> read(ServerHttpRequest request) {
		long length = request.getHeaders().getContentLength();
		if (length > Order.MAX_BYTES) {
			return Mono.error(StandardProblem.of(ProblemType.TOO_LARGE));
		}
		return Admission.whileReading(Mono.using(() -> new Reading(length), (reading) -> request.getBody()
			// Without a limit reactor-netty reports a failure twice.
			.limitRate(PREFETCH)
			.doOnNext(reading::add)
			.then(Mono.fromSupplier(reading::bytes))
			.timeout(reading.late()), Reading::release).onErrorMap((failure) -> switch (failure) {
				case ProblemException problem -> problem;
				case TimeoutException _ -> StandardProblem.of(ProblemType.REQUEST_TIMEOUT);
				// The client cut it off or chunked it badly.
				default -> StandardProblem.of(ProblemType.INVALID_REQUEST);
			}));
	}

	/** Bytes that unfinished bodies have in memory. */
	long held() {
		return this.held.get();
	}

	/** One body. Its buffer is used by one thread at a time. */
	private final class Reading {

		private final long startNanos = Schedulers.parallel().now(TimeUnit.NANOSECONDS);

		/** What is announced, negative if nothing is. */
		private final long length;

		private byte[] buffer = new byte[0];

		/** Written by the thread that reads, read by the one that watches the rate. */
		private volatile int count;

		Reading(long length) {
			this.length = length;
		}

		/**
		 * The bytes are copied: a few of them would keep the whole buffer that they came
		 * in.
		 */
		void add(DataBuffer bytes) {
			try {
				int total = this.count + bytes.readableByteCount();
				if (total > Order.MAX_BYTES) {
					throw StandardProblem.of(ProblemType.TOO_LARGE);
				}
				if (total > this.buffer.length) {
					grow(total);
				}
				bytes.read(this.buffer, this.count, total - this.count);
				this.count = total;
			}
			finally {
				DataBufferUtils.release(bytes);
			}
		}

		private void grow(int needed) {
			long most = (this.length >= 0) ? this.length : Order.MAX_BYTES;
			int capacity = (int) Math.max(needed, Math.min(most, Math.max(FIRST_CAPACITY, 2 * this.buffer.length)));
			int more = capacity - this.buffer.length;
			if (BodyReader.this.held.addAndGet(more) > BodyReader.this.maxHeld) {
				BodyReader.this.held.addAndGet(-more);
				throw new ProblemException(ProblemType.OVERLOADED, "Too many requests are being received.", Placed.NO);
			}
			this.buffer = Arrays.copyOf(this.buffer, capacity);
		}

		byte[] bytes() {
			return (this.count == this.buffer.length) ? this.buffer : Arrays.copyOf(this.buffer, this.count);
		}

		void release() {
			BodyReader.this.held.addAndGet(-this.buffer.length);
		}

		/** Ends when the body is late: looks once a second after the grace period. */
		Mono<Void> late() {
			return Mono.defer(() -> Mono.delay(nextCheck())).repeat(() -> !isLate()).then();
		}

		private boolean isLate() {
			Duration passed = passed();
			return passed.compareTo(BodyReader.this.timeout) >= 0
					|| passed.compareTo(ConnectionProperties.RATE_GRACE) >= 0
							&& this.count < BodyReader.this.minBytesPerSecond * passed.toMillis() / 1000;
		}

		private Duration nextCheck() {
			Duration passed = passed();
			Duration left = BodyReader.this.timeout.minus(passed);
			if (BodyReader.this.minBytesPerSecond == 0) {
				return left;
			}
			Duration grace = ConnectionProperties.RATE_GRACE.minus(passed);
			Duration next = grace.isPositive() ? grace : CHECK_INTERVAL;
			return (next.compareTo(left) < 0) ? next : left;
		}

		private Duration passed() {
			return Duration.ofNanos(Schedulers.parallel().now(TimeUnit.NANOSECONDS) - this.startNanos);
		}

	}

}
