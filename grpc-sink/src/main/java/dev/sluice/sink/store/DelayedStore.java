package dev.sluice.sink.store;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import dev.sluice.sink.format.Content;
import dev.sluice.sink.sequence.Place;

/** Delays the results of a store, for measurements. It blocks no thread meanwhile. */
public final class DelayedStore implements MessageStore {

	private final MessageStore store;

	private final Duration delay;

	public DelayedStore(MessageStore store, Duration delay) {
		this.store = store;
		this.delay = delay;
	}

	@Override
	public boolean ready() {
		return this.store.ready();
	}

	@Override
	public CompletableFuture<Integer> store(Content content) {
		return this.store.store(content).thenApplyAsync((part) -> part, later());
	}

	@Override
	public CompletableFuture<OnceStore.Outcome> store(Place place, Content content) {
		return this.store.store(place, content).thenApplyAsync((outcome) -> outcome, later());
	}

	private Executor later() {
		return CompletableFuture.delayedExecutor(this.delay.toNanos(), TimeUnit.NANOSECONDS, Runnable::run);
	}

}
