package dev.sluice.backend;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** A token bucket that is full at first. Confined to the event loop. */
final class TokenBucket {

	/** Tolerance for rounding, in tokens and in seconds. */
	private static final double ROUNDING = 1e-9;

	private final double perMicro;

	private final int burst;

	private final LongSupplier micros;

	private double tokens;

	private long filledAt;

	TokenBucket(double perSecond, int burst, LongSupplier micros) {
		this.perMicro = perSecond / TimeUnit.SECONDS.toMicros(1);
		this.burst = burst;
		this.micros = micros;
		this.tokens = burst;
		this.filledAt = micros.getAsLong();
	}

	/** Takes a token, if there is one. */
	boolean take() {
		long now = this.micros.getAsLong();
		this.tokens = Math.min(this.burst, this.tokens + this.perMicro * Math.max(0, now - this.filledAt));
		this.filledAt = now;
		boolean taken = this.tokens >= 1 - ROUNDING;
		if (taken) {
			this.tokens = Math.max(0, this.tokens - 1);
		}
		return taken;
	}

	/** Whole seconds until there is a token, after one could not be taken. */
	long secondsUntilToken() {
		double seconds = (1 - this.tokens) / this.perMicro / TimeUnit.SECONDS.toMicros(1);
		return Math.max(1, (long) Math.ceil(seconds - ROUNDING));
	}

}
