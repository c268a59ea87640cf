package dev.sluice.sink.limit;

import java.time.Duration;
import java.util.Locale;
import java.util.function.LongSupplier;

import com.google.errorprone.annotations.FormatMethod;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Logs a warning that clients can cause as often as they like: at most one line in 10 s,
 * with the number of lines suppressed since the previous one.
 */
public final class RateLimitedLog {

	private static final Duration INTERVAL = Duration.ofSeconds(10);

	private final Logger logger;

	private final LongSupplier nanoTime;

	@GuardedBy("this")
	private long nextNanos;

	@GuardedBy("this")
	private long leftOut;

	public RateLimitedLog(Logger logger, LongSupplier nanoTime) {
		this.logger = logger;
		this.nanoTime = nanoTime;
		this.nextNanos = nanoTime.getAsLong();
	}

	@FormatMethod
	public void warn(String format, @Nullable Object... arguments) {
		long before;
		synchronized (this) {
			long now = this.nanoTime.getAsLong();
			if (now - this.nextNanos < 0) {
				this.leftOut++;
				return;
			}
			this.nextNanos = now + INTERVAL.toNanos();
			before = this.leftOut;
			this.leftOut = 0;
		}
		String line = String.format(Locale.ROOT, format, arguments);
		this.logger.warn("{}{}", line, (before > 0) ? " (" + before + " similar lines suppressed)" : "");
	}

}
