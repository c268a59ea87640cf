package dev.sluice.sink;

import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import dev.sluice.sink.format.Content;
import dev.sluice.sink.store.MessageStore;
import org.apache.kafka.common.Uuid;

/** Stores at once, and does not recognize repeats. */
final class MemoryStore implements MessageStore {

	private final List<Content> stored = new CopyOnWriteArrayList<>();

	private final boolean keeps;

	MemoryStore() {
		this(true);
	}

	/**
	 * Creates an empty store.
	 * @param keeps whether it keeps what it stores
	 */
	MemoryStore(boolean keeps) {
		this.keeps = keeps;
	}

	/** For {@code @TestBean}. */
	static MessageStore create() {
		return new MemoryStore();
	}

	List<Content> stored() {
		return this.stored;
	}

	@Override
	public Uuid topic() {
		return Uuid.ONE_UUID;
	}

	@Override
	public void store(List<Placed> messages, Consumer<List<Completed>> completion) {
		if (this.keeps) {
			messages.forEach((message) -> this.stored.add(message.content()));
		}
		completion.accept(Collections.nCopies(messages.size(), Completed.STORED));
	}

}
