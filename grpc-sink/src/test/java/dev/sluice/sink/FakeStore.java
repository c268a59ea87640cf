package dev.sluice.sink;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import dev.sluice.sink.format.Content;
import dev.sluice.sink.sequence.Place;
import dev.sluice.sink.store.MessageStore;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/** Keeps messages, and completes them when a test says so. */
public final class FakeStore implements MessageStore {

	private final List<Pending> pending = new ArrayList<>();

	private final List<Place> places = new ArrayList<>();

	/** Number of messages in each call. */
	private final List<Integer> together = new ArrayList<>();

	private @Nullable Uuid topic = Uuid.ONE_UUID;

	private @Nullable List<Completed> answer;

	@Override
	public @Nullable Uuid topic() {
		return this.topic;
	}

	public void topic(@Nullable Uuid value) {
		this.topic = value;
	}

	@Override
	public void store(List<Placed> messages, Consumer<List<Completed>> completion) {
		if (messages.getFirst().place() != null) {
			this.together.add(messages.size());
			messages.forEach((message) -> this.places.add(message.place()));
			if (this.answer != null) {
				completion.accept(this.answer);
				return;
			}
		}
		List<CompletableFuture<Completed>> results = messages.stream()
			.map((message) -> add(message.content()).done())
			.toList();
		CompletableFuture.allOf(results.toArray(CompletableFuture[]::new))
			.thenRun(() -> completion.accept(results.stream().map(CompletableFuture::join).toList()));
	}

	private Pending add(Content content) {
		Pending message = new Pending(content.id().toStringUtf8(), content.key().toStringUtf8(), content.payload(),
				new CompletableFuture<>());
		this.pending.add(message);
		return message;
	}

	/** Number of messages with a place in each call. */
	public List<Integer> together() {
		return List.copyOf(this.together);
	}

	/** The places of all messages that have one. */
	public List<Place> places() {
		return List.copyOf(this.places);
	}

	/** Answers all messages of a call with a place together with this. */
	public void answerWith(List<Completed> results) {
		this.answer = results;
	}

	/** Number of messages that are neither stored nor failed. */
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
			take(id).done().complete(Completed.STORED);
		}
	}

	public void completeAll() {
		List<Pending> all = List.copyOf(this.pending);
		this.pending.clear();
		all.forEach((message) -> message.done().complete(Completed.STORED));
	}

	public void fail(String id, Completed failure) {
		take(id).done().complete(failure);
	}

	public List<String> pendingKeys() {
		return this.pending.stream().map(Pending::key).toList();
	}

	public record Pending(String id, String key, byte[] payload, CompletableFuture<Completed> done) {
	}

}
