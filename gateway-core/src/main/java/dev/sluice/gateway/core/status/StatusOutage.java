package dev.sluice.gateway.core.status;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;

import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.NestedExceptionUtils;

/**
 * Logs why PostgreSQL cannot be queried, at most once a minute: answers do not say it,
 * and health stays up. Thread-safe.
 */
public final class StatusOutage {

	private static final Logger logger = LoggerFactory.getLogger(StatusOutage.class);

	private static final long QUIET_NANOS = Duration.ofMinutes(1).toNanos();

	private final AtomicLong nextNanos = new AtomicLong(System.nanoTime());

	/**
	 * Logs the root cause, unless PostgreSQL was not asked.
	 * @return the exception for the caller
	 */
	public StatusUnavailableException of(Throwable failure) {
		long now = System.nanoTime();
		long next = this.nextNanos.get();
		if (isAnswer(failure) && now - next >= 0 && this.nextNanos.compareAndSet(next, now + QUIET_NANOS)) {
			Throwable cause = NestedExceptionUtils.getRootCause(failure);
			logger.warn("Statuses and keys cannot be read from PostgreSQL; queued orders go on without it: {}",
					((cause != null) ? cause : failure).toString().replaceAll("\\s+", " "));
		}
		return new StatusUnavailableException(failure);
	}

	private static boolean isAnswer(Throwable failure) {
		return !(failure instanceof CallNotPermittedException || failure instanceof RejectedExecutionException
				|| failure instanceof CancellationException);
	}

}
