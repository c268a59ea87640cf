package dev.sluice.sink;

import java.util.List;

import com.github.luben.zstd.Zstd;
import com.google.protobuf.ByteString;
import dev.sluice.contract.sink.BatchedMessage;
import dev.sluice.contract.sink.DataSinkGrpc;
import dev.sluice.contract.sink.Request;
import dev.sluice.contract.sink.Session;
import dev.sluice.sink.request.Decompressor;
import dev.sluice.sink.request.Received;
import dev.sluice.sink.sequence.ClientSession;
import dev.sluice.sink.sequence.ContentDiffersException;
import dev.sluice.sink.sequence.Place;
import dev.sluice.sink.sequence.SessionForgottenException;
import dev.sluice.sink.store.MessageStore.Completed;
import dev.sluice.sink.store.MessageStore.MessageTooLargeException;
import dev.sluice.sink.store.MessageStore.StoreUnavailableException;
import dev.sluice.sink.store.OnceStore;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Messages with sequences, over an in-process transport. */
class SequenceStreamTests {

	private static final Session SESSION = Session.newBuilder()
		.setId(ByteString.copyFromUtf8("session-a"))
		.setFirstUnsettled(1)
		.build();

	private final FakeStore store = new FakeStore();

	/** Number of tasks given to the executor. */
	private int handedOver;

	private InProcessSink sink;

	@BeforeEach
	void start() throws Exception {
		this.sink = new InProcessSink(this.store, new Decompressor(1024 * 1024, null), (task) -> {
			this.handedOver++;
			task.run();
		}, Settings.of("sink.stream.queue-capacity=100", "sink.limits.memory=8MB", "sink.limits.max-storing=1000",
				"sink.stream.max-age=0", "sink.stream.ack-batch=1", "sink.stream.ack-delay=0", "sink.store.timeout=1m",
				"sink.store.repeat-horizon=1100"));
	}

	@AfterEach
	void stop() {
		this.sink.close();
	}

	@Test
	void givesTheStoreWhatHasASequenceWithoutAnotherThread() throws Exception {
		ClientStream client = client();
		client.send(message(1, "a", "hello").setSession(SESSION));
		client.send(message(2, "b", "hello"));
		assertThat(this.store.pendingIds()).containsExactly("a", "b");
		assertThat(this.handedOver).isZero();

		client.send(unnumbered("c", "hello"));
		assertThat(this.store.pendingIds()).containsExactly("a", "b", "c");
		assertThat(this.handedOver).as("a message that may block").isOne();

		this.store.completeAll();
		client.send(message(3, "d", "").setZstdCompressed(ByteString.copyFrom(Zstd.compress(new byte[9]))));
		assertThat(this.store.pendingIds()).containsExactly("d");
		assertThat(this.handedOver).as("a message to decompress").isEqualTo(2);
	}

	@Test
	void givesTheStoreTheNumberedMessagesOfARequestTogether() throws Exception {
		ClientStream client = client();
		client.send(batch(batched(1, "a"), batched(2, "b"), batched(0, "c"), batched(3, "d")));
		assertThat(this.store.together()).as("c is alone, without a number").containsExactly(2, 1);
		assertThat(this.store.places()).extracting(Place::sequence).containsExactly(1L, 2L, 3L);
		assertThat(this.store.places()).extracting((place) -> place.session().id()).containsOnly(SESSION.getId());

		this.store.completeAll();

		assertThat(client.acked()).containsExactly("a", "b", "c", "d");
	}

	@Test
	void acknowledgesARepeatAndRefusesWhatTheStoreRefuses() throws Exception {
		ClientStream client = client();
		this.store.answerWith(List.of(new Completed(OnceStore.Outcome.REPEATED, null),
				new Completed(null, new ContentDiffersException(2)),
				new Completed(null, new SessionForgottenException("forgotten"))));

		client.send(batch(batched(1, "a"), batched(2, "b"), batched(3, "c")));

		assertThat(client.acked()).containsExactly("a");
		assertThat(client.refusals()).containsExactly("b: ALREADY_EXISTS", "c: FAILED_PRECONDITION");
		assertThat(client.ended).isFalse();
	}

	/** If its stream ended first, the client would send the same messages for ever. */
	@Test
	void refusesAMessageBeforeAnotherOneEndsTheStream() throws Exception {
		ClientStream client = client();
		this.store.answerWith(List.of(new Completed(null, new StoreUnavailableException("aborted")),
				new Completed(OnceStore.Outcome.REPEATED, null),
				new Completed(null, new MessageTooLargeException("too large", new IllegalArgumentException()))));

		client.send(batch(batched(1, "a"), batched(2, "b"), batched(3, "large")));

		assertThat(client.refusals()).containsExactly("large: RESOURCE_EXHAUSTED");
		assertThat(client.acked()).containsExactly("b");
		assertThat(client.status()).isEqualTo(Status.Code.UNAVAILABLE);
	}

	@Test
	void messagesOfTwoSessionsNeverGoTogether() {
		Received.Message first = received(Received.Kind.PLAIN, 1, "session-a");

		assertThat(StreamStorage.canBeStoredWith(first, received(Received.Kind.PLAIN, 2, "session-a"))).isTrue();
		assertThat(StreamStorage.canBeStoredWith(first, received(Received.Kind.PLAIN, 2, "session-b"))).isFalse();
		assertThat(StreamStorage.canBeStoredWith(first, received(Received.Kind.PLAIN, 0, "session-a"))).isFalse();
		assertThat(StreamStorage.canBeStoredWith(first, received(Received.Kind.ZSTD, 2, "session-a"))).isFalse();
		assertThat(StreamStorage.canBeStoredWith(first, null)).isFalse();
	}

	private static Received.Message received(Received.Kind kind, long sequence, String session) {
		return new Received.Message(ByteString.copyFromUtf8("id"), ByteString.EMPTY, kind, new byte[1], sequence,
				new ClientSession(ByteString.copyFromUtf8(session), 1, 0));
	}

	private static BatchedMessage batched(long sequence, String id) {
		return BatchedMessage.newBuilder()
			.setMessageId(ByteString.copyFromUtf8(id))
			.setSequence(sequence)
			.setPlainMessage(ByteString.copyFromUtf8(id))
			.build();
	}

	@Test
	void keepsTheRoutingKey() throws Exception {
		ClientStream client = client();

		client.send(message(1, "a", "hello").setSession(SESSION).setRoutingKey(ByteString.copyFromUtf8("customer")));

		assertThat(this.store.pendingKeys()).containsExactly("customer");
	}

	private static Request.Builder unnumbered(String id, String payload) {
		return Request.newBuilder()
			.setVersion(1)
			.setMessageId(ByteString.copyFromUtf8(id))
			.setPlainMessage(ByteString.copyFromUtf8(payload));
	}

	/** A repeat is not new, and may be below the highest sequence. */
	@Test
	void tellsTheStoreWhatIsNewToTheClient() throws Exception {
		ClientStream client = client();

		client.send(message(1, "a", "hello").setSession(SESSION.toBuilder().setFirstNew(2)));
		client.send(message(2, "b", "hello"));
		client.send(message(2, "b", "hello"));

		assertThat(this.store.places()).extracting(Place::isNew).containsExactly(false, true, false);
	}

	@Test
	void takesSingleMessagesWithTheirSession() throws Exception {
		DataSinkGrpc.DataSinkFutureStub stub = DataSinkGrpc.newFutureStub(this.sink.channel);
		Request request = message(1, "a", "hello").setSession(SESSION).build();

		var first = stub.store(request);
		this.store.completeAll();
		assertThat(first.get().getAck().getMessageIdsCount()).isEqualTo(1);
		assertThat(this.store.places()).extracting((place) -> place.session().id()).containsExactly(SESSION.getId());
		assertThatExceptionOfType(StatusRuntimeException.class)
			.isThrownBy(() -> DataSinkGrpc.newBlockingStub(this.sink.channel).store(message(2, "b", "hello").build()))
			.withMessageContaining("needs a session");
	}

	@Test
	void endsAStreamWithASequenceButNoSession() throws Exception {
		ClientStream client = client();
		client.send(message(1, "a", "hello"));

		assertThat(client.status()).isEqualTo(Status.Code.INVALID_ARGUMENT);
		assertThat(this.store.pending()).isZero();
	}

	private static Request.Builder batch(BatchedMessage... messages) {
		return Request.newBuilder().setVersion(2).setSession(SESSION).addAllMessages(List.of(messages));
	}

	private static Request.Builder message(long sequence, String id, String payload) {
		return Request.newBuilder()
			.setVersion(2)
			.setSequence(sequence)
			.setMessageId(ByteString.copyFromUtf8(id))
			.setPlainMessage(ByteString.copyFromUtf8(payload));
	}

	private ClientStream client() {
		return new ClientStream(this.sink.channel, true);
	}

}
