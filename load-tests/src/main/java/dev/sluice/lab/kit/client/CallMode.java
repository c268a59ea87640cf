package dev.sluice.lab.kit.client;

import java.util.Locale;

import org.jspecify.annotations.Nullable;

/** How a client waits for its answers. */
public enum CallMode {

	/** No thread waits: the answer invokes a callback. */
	ASYNC(null),

	/**
	 * Each request holds one of a fixed number of platform threads until it is answered.
	 */
	BLOCKING(200),

	/** Each request has a virtual thread of its own. */
	VIRTUAL(null),

	/**
	 * Each request holds a thread of a pool until it is answered. The pool starts with
	 * this many threads and grows by one a second while requests wait for one.
	 */
	SYNC_OVER_ASYNC(12);

	private final @Nullable Integer threads;

	CallMode(@Nullable Integer threads) {
		this.threads = threads;
	}

	/** The default number of threads that it waits with; null if it needs none. */
	public @Nullable Integer threads() {
		return this.threads;
	}

	/** The name in options and results. */
	@Override
	public String toString() {
		return name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

}
