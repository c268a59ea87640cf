package dev.sluice.backend.model;

import java.util.concurrent.TimeUnit;

import dev.sluice.backend.loop.Loop;

/** A token bucket that is full at first. Confined to the {@link Loop}. */
final class TokenBucket {

	/** Tolerance for rounding, in tokens. */
	private static final double ROUNDING = 1e-9;

	private final double perNano;

	private final int burst;

	private double tokens;

	private long filledAtNanos;

	TokenBucket(double perSecond, int burst, long nowNanos) {
		this.perNano = perSecond / TimeUnit.SECONDS.toNanos(1);
		this.burst = burst;
		this.tokens = burst;
		this.filledAtNanos = nowNanos;
	}

	/** Nanoseconds until there is a token; 0 if there is one. */
	long nanosUntilToken(long nowNanos) {
		double missing = 1 - filled(nowNanos);
		return (missing > ROUNDING) ? Math.max(1, (long) Math.ceil(missing / this.perNano)) : 0;
	}

	/** Takes a token. Called only if there is one. */
	void take(long nowNanos) {
		this.tokens = Math.max(0, filled(nowNanos) - 1);
		this.filledAtNanos = nowNanos;
	}

	private double filled(long nowNanos) {
		return Math.min(this.burst, this.tokens + this.perNano * (nowNanos - this.filledAtNanos));
	}

}
