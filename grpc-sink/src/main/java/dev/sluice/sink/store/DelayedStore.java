package dev.sluice.sink.store;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import dev.sluice.sink.format.Content;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/** Delays the results of a store, for measurements. It blocks no thread meanwhile. */
public final class DelayedStore implements MessageStore {

	private final MessageStore store;

	private final Duration delay;

	public DelayedStore(MessageStore store, Duration delay) {
		this.store = store;
		this.delay = delay;
	}

	@Override
	public @Nullable Uuid topic() {
		return this.store.topic();
	}

	@Override
	public CompletableFuture<Void> store(Content content) {
		return this.store.store(content).thenRunAsync(() -> {
		}, later());
	}

	@Override
	public void store(List<Placed> messages, Consumer<List<Completed>> completion) {
		this.store.store(messages, (results) -> later().execute(() -> completion.accept(results)));
	}

	private Executor later() {
		return CompletableFuture.delayedExecutor(this.delay.toNanos(), TimeUnit.NANOSECONDS, Runnable::run);
	}

}
