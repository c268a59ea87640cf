package dev.sluice.sink;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Keeps what it is given, and says so when it is told to. */
final class FakeStore implements MessageStore {

	private final List<Pending> pending = new ArrayList<>();

	@Override
	public CompletableFuture<Void> store(byte[] id, byte[] payload) {
		Pending message = new Pending(new String(id), payload, new CompletableFuture<>());
		this.pending.add(message);
		return message.done();
	}

	/** How many messages have come and are neither stored nor failed. */
	int pending() {
		return this.pending.size();
	}

	Pending take(String id) {
		Pending message = this.pending.stream().filter((one) -> one.id().equals(id)).findFirst().orElseThrow();
		this.pending.remove(message);
		return message;
	}

	void complete(String... ids) {
		for (String id : ids) {
			take(id).done().complete(null);
		}
	}

	void completeAll() {
		List<Pending> all = List.copyOf(this.pending);
		this.pending.clear();
		all.forEach((message) -> message.done().complete(null));
	}

	void fail(String id, RuntimeException failure) {
		take(id).done().completeExceptionally(failure);
	}

	record Pending(String id, byte[] payload, CompletableFuture<Void> done) {
	}

}
