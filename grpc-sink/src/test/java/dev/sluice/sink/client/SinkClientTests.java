package dev.sluice.sink.client;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import com.google.protobuf.ByteString;
import dev.sluice.contract.sink.Response;
import dev.sluice.devservices.Patience;
import dev.sluice.sink.client.spool.MemorySpool;
import dev.sluice.sink.client.spool.Message;
import dev.sluice.sink.client.spool.Spool;
import dev.sluice.sink.client.spool.SpoolFullException;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.Mockito.RETURNS_SELF;
import static org.mockito.Mockito.clearInvocations;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;

/**
 * The client and a sink that the test controls, over an in-process transport. Everything
 * runs on the test's thread, and the test controls time.
 */
@ExtendWith(OutputCaptureExtension.class)
class SinkClientTests {

	private static final Duration ACK_TIMEOUT = Duration.ofSeconds(20);

	private static final int WINDOW = 3;

	private final ScriptedSink sink = new ScriptedSink();

	private final ManualLoop loop = new ManualLoop();

	private final MemorySpool spool = new MemorySpool(100_000);

	private final List<String> heard = new ArrayList<>();

	/** Exceptions for the listener, each thrown once. */
	private final Queue<RuntimeException> troubles = new ArrayDeque<>();

	private Runnable whenAcknowledged = () -> {
	};

	private SinkClient client;

	@BeforeEach
	void start() {
		this.client = new SinkClient(this.sink.channel(),
				SinkClientOptions.inMemory().withWindow(WINDOW).withAckTimeout(ACK_TIMEOUT), new Listener(), this.spool,
				this.loop);
	}

	@AfterEach
	void stop() {
		this.client.close();
		this.sink.close();
		assertThat(this.loop.failures()).isEmpty();
	}

	@Test
	void sendsNothingBeforeTheSinkHasSaidWhatItTakes() throws Exception {
		send("a");
		assertThat(this.sink.received).isEmpty();

		this.sink.sendInfo(100);

		assertThat(this.sink.received).containsExactly("a");
	}

	@Test
	void keepsNoMoreInFlightThanTheWindowAndSendsTheRestAsItIsAcknowledged() throws Exception {
		this.sink.sendInfo(100);

		send("a", "b", "c", "d", "e");
		assertThat(this.sink.received).containsExactly("a", "b", "c");
		assertThat(this.client.stats().inFlight()).isEqualTo(3);
		assertThat(this.client.stats().spooled()).isEqualTo(5);

		this.sink.ack("b");
		assertThat(this.sink.received).containsExactly("a", "b", "c", "d");
		this.sink.ack("a", "c");
		assertThat(this.sink.received).containsExactly("a", "b", "c", "d", "e");
		this.sink.ack("d", "e");
		assertThat(this.client.stats().spooled()).isZero();
		assertThat(this.heard).containsExactly("b", "a", "c", "d", "e");
	}

	@Test
	void keepsNoMoreInFlightThanTheSinkHasRoomFor() throws Exception {
		this.sink.sendInfo(2);
		send("a", "b", "c");
		assertThat(this.sink.received).containsExactly("a", "b");

		this.sink.sendInfo(3);
		assertThat(this.sink.received).containsExactly("a", "b", "c");
	}

	@Test
	void sendsAgainWhatIsNotAcknowledgedInTime() throws Exception {
		this.sink.sendInfo(100);
		send("a");
		this.loop.pass(Duration.ofSeconds(1));
		send("b");

		this.loop.pass(ACK_TIMEOUT.minusSeconds(2));
		assertThat(this.sink.received).containsExactly("a", "b");

		this.loop.pass(Duration.ofSeconds(1));
		assertThat(this.sink.received).containsExactly("a", "b", "a");
		assertThat(this.client.stats().timeouts()).isEqualTo(1);
		assertThat(this.client.stats().repeated()).isEqualTo(1);

		this.sink.ack("b");
		this.loop.pass(Duration.ofSeconds(1));
		assertThat(this.sink.received).as("an acknowledged message has no timeout").containsExactly("a", "b", "a");
	}

	@Test
	void cancelsTheStreamThatItLeaves() {
		ServerCallStreamObserver<Response> left = this.sink.responses;
		this.loop.pass(ACK_TIMEOUT);
		assertThat(left.isCancelled()).isTrue();
		this.loop.pass(Duration.ofMillis(100));
		ServerCallStreamObserver<Response> open = this.sink.responses;
		assertThat(open).isNotSameAs(left);

		this.client.close();

		assertThat(open.isCancelled()).isTrue();
		this.loop.pass(Duration.ofMinutes(1));
		assertThat(this.sink.streams).as("it opens no other").isEqualTo(2);
	}

	@Test
	void opensAStreamAgainAlsoWhenTheSinkEndsItWell() throws Exception {
		this.sink.sendInfo(100);
		send("a");

		this.sink.responses.onCompleted();
		assertThat(this.client.stats().connected()).isFalse();
		this.loop.pass(Duration.ofMillis(100));
		this.sink.sendInfo(100);

		assertThat(this.sink.received).containsExactly("a", "a");
	}

	@Test
	void countsWhatEachStreamSaysItDropped() {
		dropped(3);
		assertThat(this.client.stats().dropped()).isEqualTo(3);
		dropped(5);
		assertThat(this.client.stats().dropped()).isEqualTo(5);

		this.sink.fail(Status.UNAVAILABLE);
		this.loop.pass(Duration.ofMillis(100));
		dropped(2);

		assertThat(this.client.stats().dropped()).as("a stream counts from 0").isEqualTo(7);
	}

	private void dropped(long messages) {
		this.sink.send(ScriptedSink.info(100).setDropped(messages));
	}

	@ParameterizedTest
	@CsvSource({ "1, 1", "3, 3" })
	void leavesASinkThatTakesOnlyOtherVersionsAlone(int min, int max) throws Exception {
		send("a");
		versions(1, 3);
		assertThat(this.client.stats().connected()).as("it sends version 2").isTrue();
		assertThat(this.sink.received).containsExactly("a");
		this.sink.fail(Status.UNAVAILABLE);
		this.loop.pass(Duration.ofMillis(100));
		ServerCallStreamObserver<Response> other = this.sink.responses;

		versions(min, max);

		assertThat(this.client.stats().connected()).isFalse();
		assertThat(other.isCancelled()).isTrue();
		assertThat(this.sink.received).containsExactly("a");
		assertThat(this.client.stats().spooled()).isOne();
	}

	private void versions(int min, int max) {
		this.sink.send(ScriptedSink.info(100).setMinVersion(min).setMaxVersion(max));
	}

	@Test
	void leavesASinkThatSaysNothing() {
		this.loop.pass(ACK_TIMEOUT.minusMillis(1));
		assertThat(this.sink.streams).isEqualTo(1);

		this.loop.pass(Duration.ofMillis(200));
		assertThat(this.sink.streams).isEqualTo(2);

		this.sink.sendInfo(100);
		this.loop.pass(ACK_TIMEOUT.multipliedBy(10));
		assertThat(this.sink.streams).as("one that has nothing to acknowledge").isEqualTo(2);
	}

	@Test
	void leavesASinkThatAcknowledgesNothing() throws Exception {
		this.sink.sendInfo(100);
		this.loop.pass(ACK_TIMEOUT.multipliedBy(10));
		send("a");
		this.loop.pass(ACK_TIMEOUT.multipliedBy(3).minusMillis(1));
		assertThat(this.sink.streams).isEqualTo(1);
		assertThat(this.sink.received).containsExactly("a", "a", "a");

		this.loop.pass(Duration.ofMillis(200));
		assertThat(this.sink.streams).isEqualTo(2);
		this.sink.sendInfo(100);
		assertThat(this.sink.received).containsExactly("a", "a", "a", "a");
		this.sink.ack("a");
		assertThat(this.client.stats().spooled()).isZero();
	}

	@Test
	void staysWithASinkThatAcknowledgesSomething() throws Exception {
		this.sink.sendInfo(100);
		send("a");
		for (int i = 0; i < 8; i++) {
			this.loop.pass(ACK_TIMEOUT.minusSeconds(1));
			send("b" + i);
			this.sink.ack("b" + i);
		}
		assertThat(this.client.stats().timeouts()).isPositive();
		assertThat(this.sink.streams).isEqualTo(1);
	}

	@Test
	void sendsNothingMoreOnceAListenerHasClosedIt() throws Exception {
		this.sink.sendInfo(100);
		send("a", "b", "c", "d");
		this.whenAcknowledged = this.client::close;

		this.sink.ack("a");

		assertThat(this.heard).containsExactly("a");
		assertThat(this.sink.received).containsExactly("a", "b", "c");
		assertThat(this.client.stats().spooled()).isEqualTo(3);
	}

	@Test
	void waitsForRoomAsLongAsItMay() throws Exception {
		byte[] large = new byte[60_000];
		this.client.send(ByteString.copyFromUtf8("first"), large);
		assertThatExceptionOfType(SpoolFullException.class)
			.isThrownBy(() -> this.client.sendAll(List.of(new Message(null, large)), Duration.ofMillis(20)));

		CompletableFuture<ByteString> waiting = new CompletableFuture<>();
		Thread sender = Thread.ofVirtual().start(() -> {
			try {
				waiting.complete(
						this.client.sendAll(List.of(new Message(null, large)), Patience.ofSeconds(60)).getFirst());
			}
			catch (InterruptedException | RuntimeException ex) {
				waiting.completeExceptionally(ex);
			}
		});
		this.spool.settle(List.of(0L));
		assertThat(waiting.get(Patience.ofSeconds(60).toSeconds(), TimeUnit.SECONDS)).isNotNull();
		sender.join();
	}

	@Test
	void takesAnAcknowledgementThatComesAfterTheTime() throws Exception {
		this.sink.sendInfo(100);
		send("a", "b", "c", "d");
		this.sink.sendInfo(1);

		this.loop.pass(ACK_TIMEOUT);
		this.sink.ack("a", "b", "c");

		this.sink.ack("d");
		assertThat(this.client.stats().spooled()).isZero();
	}

	@Test
	void opensAStreamAgainAndSendsFirstWhatWasInFlight() throws Exception {
		this.sink.sendInfo(100);
		send("a", "b", "c", "d");
		this.sink.ack("b");
		this.sink.received.clear();

		this.sink.fail(Status.UNAVAILABLE);
		assertThat(this.client.stats().connected()).isFalse();
		send("e");
		assertThat(this.sink.streams).isEqualTo(1);

		this.loop.pass(Duration.ofMillis(100));
		assertThat(this.sink.streams).isEqualTo(2);
		this.sink.sendInfo(100);
		assertThat(this.sink.received).containsExactly("a", "c", "d");
		this.sink.ack("a", "c", "d");
		assertThat(this.sink.received).containsExactly("a", "c", "d", "e");
		assertThat(this.client.stats().disconnections()).isEqualTo(1);
		assertThat(this.client.stats().repeated()).isEqualTo(3);
		assertThat(this.client.stats().sent()).isEqualTo(8);
	}

	@Test
	void waitsLongerAfterEachFailureOfASinkThatStoresNothingUntilItDoes() throws Exception {
		send("a");
		for (int i = 0; i < 20; i++) {
			this.sink.sendInfo(100);
			this.sink.fail(Status.UNAVAILABLE);
			this.loop.pass(Duration.ofMillis(7_500));
		}
		assertThat(this.sink.streams).isEqualTo(21);

		this.sink.sendInfo(100);
		this.sink.fail(Status.UNAVAILABLE);
		this.loop.pass(Duration.ofMillis(2_000));
		assertThat(this.sink.streams).as("at least half of 5 s").isEqualTo(21);

		this.loop.pass(Duration.ofMillis(5_500));
		this.sink.sendInfo(100);
		this.sink.ack("a");
		this.sink.fail(Status.UNAVAILABLE);
		this.loop.pass(Duration.ofMillis(100));
		assertThat(this.sink.streams).isEqualTo(23);
	}

	@Test
	void leavesASinkOfAnotherVersionAndLosesNothing() throws Exception {
		this.sink.sendInfo(100);
		send("a");

		this.sink.responses.onNext(Response.newBuilder().setVersion(2).build());

		assertThat(this.client.stats().connected()).isFalse();
		assertThat(this.client.stats().spooled()).isEqualTo(1);
		this.loop.pass(Duration.ofSeconds(8));
		this.sink.sendInfo(100);
		this.sink.ack("a");
		assertThat(this.client.stats().spooled()).isZero();
	}

	@Test
	void opensAStreamAgainWhenItsListenerFailsAndSaysWhy(CapturedOutput output) throws Exception {
		this.sink.sendInfo(100);
		send("a", "b");
		ServerCallStreamObserver<Response> left = this.sink.responses;
		this.troubles.add(new IllegalStateException("listener"));

		this.sink.ack("a");
		assertThat(this.client.stats().connected()).isFalse();
		assertThat(left.isCancelled()).isTrue();
		assertThat(output.toString().lines().filter((line) -> line.contains("has ended"))).singleElement()
			.asString()
			.contains("CANCELLED: java.lang.IllegalStateException: listener; trying again");

		this.loop.pass(Duration.ofMillis(100));
		this.sink.sendInfo(100);
		this.sink.ack("b");
		assertThat(this.sink.received).as("settled messages are not sent again").containsExactly("a", "b", "b");
		assertThat(this.client.stats().spooled()).isZero();
	}

	@Test
	void takesNoResponseBeforeItIsDoneWithTheOneBefore() throws Exception {
		this.sink.sendInfo(100);
		send("a");
		List<Boolean> takesMore = new ArrayList<>();
		this.whenAcknowledged = () -> takesMore.add(this.sink.responses.isReady());

		this.sink.ack("a");

		assertThat(takesMore).containsExactly(false);
		assertThat(this.sink.responses.isReady()).isTrue();
	}

	@Test
	void anAdaptiveWindowGrowsWithEachAcknowledgementUntilOneDoesNotCome() throws Exception {
		ManualLoop own = new ManualLoop();
		SinkClient adaptive = another(this.sink.channel(), new MemorySpool(100_000), own);
		this.sink.sendInfo(100);
		assertThat(adaptive.stats().window()).isEqualTo(AdaptiveWindow.LEAST);

		for (int i = 0; i < 20; i++) {
			adaptive.send(ByteString.copyFromUtf8("alone-" + i), new byte[1]);
			own.pass(Duration.ofMillis(10));
			this.sink.ack("alone-" + i);
		}
		assertThat(adaptive.stats().window()).as("it is not the window that limits the rate")
			.isEqualTo(AdaptiveWindow.LEAST + 20);

		adaptive.send(ByteString.copyFromUtf8("late"), new byte[1]);
		own.pass(ACK_TIMEOUT);
		assertThat(adaptive.stats().window()).isEqualTo(AdaptiveWindow.LEAST);
		adaptive.close();
		assertThat(own.failures()).isEmpty();
	}

	@Test
	void losesNoMessageWhenTheSpoolFailsWhileItIsSent() throws Exception {
		AtomicBoolean failing = new AtomicBoolean(true);
		MemorySpool memory = new MemorySpool(100_000);
		Spool fails = (Spool) Proxy.newProxyInstance(Spool.class.getClassLoader(), new Class<?>[] { Spool.class },
				(_, method, arguments) -> {
					if (method.getName().equals("hasNext") && failing.getAndSet(false)) {
						throw new IllegalStateException("spool");
					}
					return method.invoke(memory, arguments);
				});
		ManualLoop own = new ManualLoop();
		SinkClient unlucky = another(this.sink.channel(), fails, own);
		this.sink.sendInfo(100);

		unlucky.send(ByteString.copyFromUtf8("a"), new byte[1]);
		assertThat(unlucky.stats().connected()).isFalse();

		own.pass(Duration.ofMillis(100));
		this.sink.sendInfo(100);
		assertThat(this.sink.received).containsExactly("a");
		this.sink.ack("a");
		assertThat(unlucky.stats().spooled()).isZero();
		unlucky.close();
	}

	/** gRPC by itself pauses for up to two minutes between its attempts to connect. */
	@Test
	void connectsAtOnceWhenItOpensAnotherStream() {
		this.client.close();
		ManagedChannel watched = mock(ManagedChannel.class, delegatesTo(this.sink.channel()));
		try (SinkClient _ = another(watched, this.spool, this.loop)) {
			clearInvocations(watched);

			this.sink.fail(Status.UNAVAILABLE);
			this.loop.pass(Duration.ofMillis(100));

			verify(watched).resetConnectBackoff();
		}
	}

	@Test
	void givesTheChannelAKeepAlive() {
		ManagedChannelBuilder<?> builder = mock(ManagedChannelBuilder.class, RETURNS_SELF);
		ManagedChannel channel = this.sink.channel();
		doReturn(channel).when(builder).build();

		SinkClient.open(builder, SinkClientOptions.inMemory(), DeliveryListener.NONE).close();

		verify(builder).keepAliveTime(30, TimeUnit.SECONDS);
		assertThat(channel.isShutdown()).as("the client's own").isTrue();
	}

	/** Without an answer, gRPC would open each stream on the same dead connection. */
	@Test
	void connectsAnewAfterTheSecondSilentStream() {
		this.client.close();
		ManagedChannel watched = mock(ManagedChannel.class, delegatesTo(this.sink.channel()));
		try (SinkClient _ = another(watched, this.spool, this.loop)) {
			this.loop.pass(ACK_TIMEOUT);
			verify(watched, never()).enterIdle();

			this.loop.pass(ACK_TIMEOUT.plusSeconds(1));
			verify(watched).enterIdle();

			this.sink.sendInfo(100);
			this.loop.pass(ACK_TIMEOUT.multipliedBy(10));
			verify(watched).enterIdle();
		}
	}

	@Test
	void handsWhatIsRefusedToTheListenerAndDoesNotSendItAgain() throws Exception {
		this.sink.sendInfo(100);
		send("bad", "good");

		this.sink.refuse("bad");
		this.sink.ack("good");
		this.loop.pass(ACK_TIMEOUT.multipliedBy(2));

		assertThat(this.sink.received).containsExactly("bad", "good");
		assertThat(this.heard).containsExactly("payload of bad refused: 3", "good");
		assertThat(this.client.stats().spoolBytes()).isZero();
	}

	@Test
	void refusesWhatIsTooLargeForTheSinkAndSendsWhatIsBehindIt() throws Exception {
		this.client.send(ByteString.copyFromUtf8("large"), new byte[1_001]);
		send("small");

		this.sink.send(ScriptedSink.info(100).setMaxMessageBytes(1_000));

		assertThat(this.sink.received).containsExactly("small");
		assertThat(this.heard).singleElement().asString().endsWith(" refused: 8");
		this.sink.ack("small");
		assertThat(this.client.stats().spooled()).isZero();
	}

	@Test
	void refusesWhatASinkThatTakesLessIsToBeSentAgain() throws Exception {
		this.sink.send(ScriptedSink.info(100).setMaxMessageBytes(2_000));
		this.client.send(ByteString.copyFromUtf8("large"), new byte[1_001]);
		this.sink.fail(Status.UNAVAILABLE);

		this.loop.pass(Duration.ofMillis(100));
		this.sink.send(ScriptedSink.info(100).setMaxMessageBytes(1_000));

		assertThat(this.sink.received).as("of the first stream").containsExactly("large");
		assertThat(this.client.stats().refused()).isEqualTo(1);
		assertThat(this.client.stats().spooled()).isZero();
	}

	/**
	 * Only the sink can tell whether it is a repeat: it knows the content of the first.
	 */
	@Test
	void acknowledgesNoMessageByAnAnswerToAnotherWithItsId() throws Exception {
		this.sink.sendInfo(100);
		send("a");
		this.client.send(ByteString.copyFromUtf8("a"), "other".getBytes());
		send("b");
		this.loop.pass(ACK_TIMEOUT);
		assertThat(this.sink.received).as("the first one twice").containsExactly("a", "a");

		this.sink.ack("a");
		assertThat(this.sink.received).containsExactly("a", "a", "a", "b");
		this.sink.ack("a");
		assertThat(this.client.stats().spooled()).as("the answer to the repeat").isEqualTo(2);
		this.sink.refuse("a");
		this.sink.ack("b");

		assertThat(this.heard).containsExactly("a", "other refused: 3", "b");
		assertThat(this.client.stats().spooled()).isZero();
	}

	/** The sink drops messages that its queue has no room for. */
	@Test
	void sendsAMessageAgainAlsoIfItTakesItsAnswerForThatOfADroppedOneWithItsId() throws Exception {
		sendTwoWithOneId();
		this.sink.ack("a");

		this.sink.ack("a");
		this.loop.pass(ACK_TIMEOUT);
		assertThat(this.sink.received).containsExactly("a", "a", "a", "a");
		this.sink.ack("a");

		assertThat(this.client.stats().spooled()).isZero();
	}

	@Test
	void awaitsNoAnswersOfAnEarlierStream() throws Exception {
		sendTwoWithOneId();
		this.sink.ack("a");

		this.loop.reconnect(this.sink);
		this.sink.ack("a");

		assertThat(this.client.stats().spooled()).isZero();
	}

	/** The first one is sent again after a timeout; the other waits for its answer. */
	private void sendTwoWithOneId() throws Exception {
		this.sink.sendInfo(100);
		send("a");
		this.client.send(ByteString.copyFromUtf8("a"), "other".getBytes());
		this.loop.pass(ACK_TIMEOUT);
	}

	@Test
	void showsWhatWaitsAndWhatIsOnItsWay() throws Exception {
		send("a", "b", "c");
		assertThat(this.client.stats().spooled()).isEqualTo(3);
		assertThat(this.client.stats().spoolBytes()).isEqualTo(3 * (Spool.OVERHEAD_BYTES + "apayload of a".length()));
		assertThat(this.client.stats().sent()).isZero();

		this.sink.sendInfo(2);
		assertThat(this.client.stats().connected()).isTrue();
		assertThat(this.client.stats().window()).isEqualTo(2);
		assertThat(this.client.stats().sent()).isEqualTo(2);
		assertThat(this.client.stats().sentBytes()).isEqualTo(2 * this.sink.requests.getFirst().getSerializedSize());

		this.sink.ack("a", "b");
		assertThat(this.client.stats().acknowledged()).isEqualTo(2);
		this.sink.ack("c");
		assertThat(this.client.stats().oldestMillis()).isZero();
	}

	@Test
	void countsEachMessageOnceHoweverItEnds() throws Exception {
		this.sink.send(ScriptedSink.info(100).setMaxMessageBytes(1_000));
		this.client.send(ByteString.copyFromUtf8("large"), new byte[1_001]);
		send("a", "bad", "late");
		this.sink.refuse("bad");
		this.loop.pass(ACK_TIMEOUT);
		this.sink.ack("a", "late", "stranger");
		this.sink.ack("a", "late");

		assertThat(this.client.stats().acknowledged()).isEqualTo(2);
		assertThat(this.client.stats().refused()).isEqualTo(2);
		assertThat(this.client.stats().spooled()).isZero();
	}

	@Test
	void takesSeveralAtOnceOrNone() throws Exception {
		this.sink.sendInfo(100);
		Message small = new Message(ByteString.copyFromUtf8("a"), new byte[1]);

		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.client.sendAll(List.of(small, new Message(null, new byte[2_000_000]))));
		assertThatExceptionOfType(SpoolFullException.class)
			.isThrownBy(() -> this.client.sendAll(List.of(small, new Message(null, new byte[100_000]))));
		assertThat(this.client.sendAll(List.of())).isEmpty();
		assertThat(this.sink.received).isEmpty();

		assertThat(this.client.sendAll(List.of(small, new Message(ByteString.copyFromUtf8("b"), new byte[2]))))
			.extracting(ByteString::toStringUtf8)
			.containsExactly("a", "b");
		assertThat(this.sink.received).containsExactly("a", "b");
	}

	@Test
	void refusesToTakeWhatTheSinkNeverTakes() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.client.send(new byte[2_000_000]));
		assertThatIllegalArgumentException().isThrownBy(() -> this.client.send(ByteString.EMPTY, new byte[1]));
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.client.send(ByteString.copyFrom(new byte[65]), new byte[1]))
			.withMessageContaining("1 to 64 bytes, this one has 65");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new Message(null, new byte[1], ByteString.copyFrom(new byte[129])))
			.withMessageContaining("at most 128 bytes, this one has 129");
		assertThat(new Message(ByteString.copyFrom(new byte[64]), new byte[1], ByteString.copyFrom(new byte[128])))
			.isNotNull();
	}

	@Test
	void sendsNoMoreThanTheTransportTakes() throws Exception {
		this.sink.requested = 5;
		SinkClient eager = another(this.sink.channel(), new MemorySpool(100_000), new ManualLoop());
		this.sink.sendInfo(1_000);
		for (int i = 0; i < AdaptiveWindow.LEAST; i++) {
			eager.send(new byte[10]);
		}
		assertThat(this.sink.received).hasSize(5);
		assertThat(eager.stats().inFlight()).isLessThan(AdaptiveWindow.LEAST);
		this.sink.responses.request(200);
		assertThat(this.sink.received).hasSize(AdaptiveWindow.LEAST);
		eager.close();
	}

	private static SinkClient another(ManagedChannel channel, Spool spool, ManualLoop loop) {
		return new SinkClient(channel, SinkClientOptions.inMemory().withAckTimeout(ACK_TIMEOUT), DeliveryListener.NONE,
				spool, loop);
	}

	private void send(String... ids) throws InterruptedException {
		for (String id : ids) {
			this.client.send(ByteString.copyFromUtf8(id), ("payload of " + id).getBytes());
		}
	}

	private final class Listener implements DeliveryListener {

		@Override
		public void acknowledged(List<ByteString> ids) {
			RuntimeException trouble = SinkClientTests.this.troubles.poll();
			if (trouble != null) {
				throw trouble;
			}
			ids.forEach((id) -> SinkClientTests.this.heard.add(id.toStringUtf8()));
			SinkClientTests.this.whenAcknowledged.run();
		}

		@Override
		public void refused(Message message, int code, String description) {
			SinkClientTests.this.heard.add(new String(message.payload()) + " refused: " + code);
		}

	}

}
