package dev.sluice.sink;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import dev.sluice.sink.store.MessageStore;
import org.jspecify.annotations.Nullable;

/** Keeps what it is given, and says so when it is told to. */
public final class FakeStore implements MessageStore {

	private final List<Pending> pending = new ArrayList<>();

	private boolean ready = true;

	private @Nullable RuntimeException thrown;

	@Override
	public boolean ready() {
		return this.ready;
	}

	public void ready(boolean value) {
		this.ready = value;
	}

	@Override
	public CompletableFuture<Integer> store(byte[] id, byte[] payload) {
		RuntimeException failure = this.thrown;
		if (failure != null) {
			this.thrown = null;
			throw failure;
		}
		Pending message = new Pending(new String(id), payload, new CompletableFuture<>());
		this.pending.add(message);
		return message.done();
	}

	/** Throws this at the next message. */
	public void failAtOnce(RuntimeException failure) {
		this.thrown = failure;
	}

	/** How many messages have come and are neither stored nor failed. */
	public int pending() {
		return this.pending.size();
	}

	public List<String> pendingIds() {
		return this.pending.stream().map(Pending::id).toList();
	}

	public Pending take(String id) {
		Pending message = this.pending.stream().filter((one) -> one.id().equals(id)).findFirst().orElseThrow();
		this.pending.remove(message);
		return message;
	}

	public void complete(String... ids) {
		for (String id : ids) {
			take(id).done().complete(0);
		}
	}

	public void completeAll() {
		List<Pending> all = List.copyOf(this.pending);
		this.pending.clear();
		all.forEach((message) -> message.done().complete(0));
	}

	public void fail(String id, RuntimeException failure) {
		take(id).done().completeExceptionally(failure);
	}

	public record Pending(String id, byte[] payload, CompletableFuture<Integer> done) {
	}

}
