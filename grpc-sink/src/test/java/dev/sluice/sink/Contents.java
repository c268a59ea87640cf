package dev.sluice.sink;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import com.google.protobuf.ByteString;
import dev.sluice.sink.format.Content;
import dev.sluice.sink.sequence.Place;
import dev.sluice.sink.store.MessageStore.Completed;
import dev.sluice.sink.store.MessageStore.Placed;
import org.jspecify.annotations.Nullable;

/** Messages for tests of the stores. */
public final class Contents {

	private Contents() {
	}

	/** A message without a key, of a client without a certificate. */
	public static Content of(String id, byte[] payload) {
		return of(ByteString.copyFromUtf8(id), payload);
	}

	public static Content of(ByteString id, byte[] payload) {
		return new Content(id, ByteString.EMPTY, 0, payload);
	}

	/** Has a store store one message. */
	public static CompletableFuture<Completed> store(BiConsumer<List<Placed>, Consumer<List<Completed>>> store,
			@Nullable Place place, Content content) {
		CompletableFuture<Completed> done = new CompletableFuture<>();
		store.accept(List.of(new Placed(place, content)), (results) -> done.complete(results.getFirst()));
		return done;
	}

	/** The outcome, or the code of the failure. */
	public static String name(Completed result) {
		return (result.failure() == null) ? result.outcome().name() : result.failure().getCode().name();
	}

	/** A message with a key. */
	public static Content of(String id, String key, byte[] payload) {
		return new Content(ByteString.copyFromUtf8(id), ByteString.copyFromUtf8(key), 0, payload);
	}

}
