package dev.sluice.lab.kit.client;

import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/** How a client waits for its answers. */
public enum CallMode {

	/** No thread waits: the answer invokes a callback. */
	ASYNC("async", null),

	/**
	 * Each request holds one of a fixed number of platform threads until it is answered.
	 */
	BLOCKING("blocking", 200),

	/** Each request has a virtual thread of its own. */
	VIRTUAL("virtual", null),

	/**
	 * Each request blocks a thread of a pool on the future of its answer. The pool starts
	 * with this many threads and grows by one a second while requests wait for one.
	 */
	SYNC_OVER_ASYNC("sync-over-async", 12);

	private final String label;

	private final @Nullable Integer threads;

	CallMode(String label, @Nullable Integer threads) {
		this.label = label;
		this.threads = threads;
	}

	/** The name in options and results. */
	public String label() {
		return this.label;
	}

	/** The default number of threads that it waits with; null if it needs none. */
	public @Nullable Integer threads() {
		return this.threads;
	}

	/**
	 * The mode of that name.
	 * @throws IllegalArgumentException if there is none
	 */
	public static CallMode of(String label) {
		return Stream.of(values())
			.filter((mode) -> mode.label.equals(label.strip().toLowerCase(Locale.ROOT)))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("mode '%s' is unknown: use %s".formatted(label,
					Stream.of(values()).map(CallMode::label).collect(Collectors.joining(", ")))));
	}

	@Override
	public String toString() {
		return this.label;
	}

}
