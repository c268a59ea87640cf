package dev.sluice.sink;

import java.time.Duration;
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

	private static final Session SESSION = session("session-a", 0);

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
	void storesASequenceOnceWhateverItsId() throws Exception {
		ClientStream client = client();
		client.send(message(1, "a", "hello").setSession(SESSION));
		client.send(message(2, "b", "hello"));
		this.store.completeAll();
		client.send(message(1, "a", "hello"));

		assertThat(this.store.pending()).isZero();
		assertThat(client.acked()).containsExactly("a", "b", "a");
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
		client.send(Request.newBuilder()
			.setVersion(2)
			.setSession(SESSION)
			.addMessages(batched(1, "a"))
			.addMessages(batched(2, "b"))
			.addMessages(batched(0, "c"))
			.addMessages(batched(3, "d")));
		assertThat(this.store.together()).as("c is alone, without a number").containsExactly(2, 1);

		this.store.completeAll();

		assertThat(client.acked()).containsExactly("a", "b", "c", "d");
	}

	/** If its stream ended first, the client would send the same messages for ever. */
	@Test
	void refusesAMessageBeforeAnotherOneEndsTheStream() throws Exception {
		ClientStream client = client();
		this.store.answerWith(List.of(new Completed(null, new StoreUnavailableException("aborted")),
				new Completed(OnceStore.Outcome.REPEATED, null),
				new Completed(null, new MessageTooLargeException("too large", new IllegalArgumentException()))));

		client.send(Request.newBuilder()
			.setVersion(2)
			.setSession(SESSION)
			.addMessages(batched(1, "a"))
			.addMessages(batched(2, "b"))
			.addMessages(batched(3, "large")));

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
	void refusesAnotherMessageUnderAKnownSequence() throws Exception {
		ClientStream client = client();
		client.send(message(1, "a", "hello").setSession(SESSION));
		this.store.completeAll();

		client.send(message(1, "b", "hello"));
		client.send(message(1, "a", "HELLO"));

		assertThat(client.acked()).containsExactly("a");
		assertThat(client.refusals()).containsExactly("b: ALREADY_EXISTS", "a: ALREADY_EXISTS");
		assertThat(this.store.pending()).isZero();
	}

	@Test
	void keepsTheRoutingKey() throws Exception {
		ClientStream client = client();

		client.send(message(1, "a", "hello").setSession(SESSION).setRoutingKey(ByteString.copyFromUtf8("customer")));
		client.send(message(1, "a", "hello").setRoutingKey(ByteString.copyFromUtf8("another")));

		assertThat(this.store.pendingKeys()).containsExactly("customer");
		this.store.completeAll();
		assertThat(client.refusals()).containsExactly("a: ALREADY_EXISTS");
	}

	private static Request.Builder unnumbered(String id, String payload) {
		return Request.newBuilder()
			.setVersion(1)
			.setMessageId(ByteString.copyFromUtf8(id))
			.setPlainMessage(ByteString.copyFromUtf8(payload));
	}

	@Test
	void refusesASessionThatItMayHaveForgotten() throws Exception {
		ClientStream client = client();

		client.send(message(1, "a", "hello").setSession(session("session-a", Duration.ofDays(7).toMillis())));

		assertThat(client.refusals()).containsExactly("a: FAILED_PRECONDITION");
		assertThat(this.store.pending()).isZero();
		client.send(message(1, "a", "hello").setSession(session("session-b", 0)));
		this.store.completeAll();
		assertThat(client.acked()).containsExactly("a");
	}

	/** Like a virtual machine that was restored while it ran. */
	@Test
	void refusesAMessageThatIsNewToACopyOfItsClientAndNoRepeat() throws Exception {
		ClientStream client = client();
		client.send(message(1, "a", "hello").setSession(SESSION.toBuilder().setFirstNew(1)));
		client.send(message(2, "b", "hello"));
		this.store.completeAll();
		ClientStream copy = client();

		copy.send(message(1, "a", "hello").setSession(SESSION.toBuilder().setFirstNew(2)));
		copy.send(message(2, "b", "hello"));
		client.send(message(2, "b", "hello"));

		assertThat(copy.acked()).containsExactly("a");
		assertThat(copy.refusals()).containsExactly("b: FAILED_PRECONDITION");
		assertThat(client.acked()).as("again after a timeout").containsExactly("a", "b", "b");
	}

	@Test
	void takesSingleMessagesWithTheirSession() throws Exception {
		DataSinkGrpc.DataSinkFutureStub stub = DataSinkGrpc.newFutureStub(this.sink.channel);
		Request request = message(1, "a", "hello").setSession(SESSION).build();

		var first = stub.store(request);
		this.store.completeAll();
		assertThat(first.get().getAck().getMessageIdsCount()).isEqualTo(1);

		assertThat(stub.store(request).get().getAck().getMessageIdsCount()).isEqualTo(1);
		assertThat(this.store.pending()).isZero();
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

	private static Session session(String id, long ageMillis) {
		return Session.newBuilder()
			.setId(ByteString.copyFromUtf8(id))
			.setFirstUnsettled(1)
			.setAgeMillis(ageMillis)
			.build();
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
