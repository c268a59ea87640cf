package dev.sluice.sink.client;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

import com.google.protobuf.ByteString;
import dev.sluice.contract.sink.Request;
import dev.sluice.devservices.Patience;
import dev.sluice.sink.Script;
import dev.sluice.sink.client.spool.Message;
import dev.sluice.sink.client.spool.Spool;
import dev.sluice.sink.client.spool.SpoolFullException;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

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

/** The client and a sink that the test controls: see {@link ClientScript}. */
@ExtendWith(OutputCaptureExtension.class)
class SinkClientTests {

	private final ClientScript script = new ClientScript();

	private final ScriptedSink sink = this.script.sink;

	@AfterEach
	void stop() {
		this.script.close();
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource
	void follows(String what, String steps) {
		this.script.play(steps);
	}

	static Stream<Arguments> follows() {
		return Script.scenarios("""
				sends nothing before the sink has said what it takes
					send a; sent; info 100; sent a
				keeps no more in flight than the window, and sends the rest as it is acknowledged
					window 3; info 100; send a b c d e; sent a b c; is inFlight=3 spooled=5
					ack b; sent d; ack a c; sent e; ack d e; is spooled=0; heard b a c d e
				keeps no more in flight than the sink has room for
					info 2; send a b c; sent a b; info 3; sent c
				sends again on another stream if a message is not acknowledged in time
					info 100; send a c; pass 1s; send b; ack c; sent a c b; pass 18999ms; is streams=1
					pass 100ms; is streams=2; info 100; sent a b; is timeouts=1 repeated=2; ack a b; is spooled=0
				puts together what waits
					send a b c; info 100 batch_messages:100; send d; sent [a b c] d; ack b; ack a c d; is spooled=0
				puts no more messages together than the sink takes
					send a b c d e; info 100 batch_messages:0; sent a b c d e
					fail; pass 100ms; info 100 batch_messages:2; sent [a b] [c d] e
				sends again the messages of a batch that are not acknowledged
					send a b c; info 100 batch_messages:100; sent [a b c]; ack b; refuse c; pass 20s
					pass 100ms; info 100; sent a; is refused=1
				cancels the stream that it leaves, and opens no other once it is closed
					pass 20s; is streams=1 cancelled=1; pass 100ms; is streams=2 cancelled=1
					close; is cancelled=2; pass 1m; is streams=2
				opens a stream again also when the sink ends it well
					info 100; send a; end; is connected=false; pass 100ms; info 100; sent a a
				opens a stream again, and sends first what was in flight
					window 3; info 100; send a b c d; ack b; sent a b c d; fail; is connected=false; send e
					is streams=1; pass 100ms; is streams=2; info 100; sent a c d; ack a c d; sent e
					is disconnections=1 repeated=3 sent=8
				counts what each stream says it dropped, which begins at 0
					info 100 dropped:3; is dropped=3; info 100 dropped:5; is dropped=5
					fail; pass 100ms; info 100 dropped:2; is dropped=7
				leaves a sink alone that takes only other versions
					send a; info 100 min_version:1 max_version:3; is connected=true; sent a
					fail; pass 100ms; info 100 min_version:1 max_version:1; is connected=false cancelled=1
					pass 8s; info 100 min_version:3 max_version:3; is connected=false cancelled=2 spooled=1; sent
				leaves a sink that answers in another version, and loses nothing
					info 100; send a; version 2; is connected=false spooled=1; pass 8s; info 100; ack a; is spooled=0
				leaves a sink that says nothing, and stays with one that has nothing to acknowledge
					pass 19999ms; is streams=1; pass 200ms; is streams=2; info 100; pass 200s; is streams=2
				leaves a sink that acknowledges nothing
					info 100; pass 200s; send a; pass 19999ms; is streams=1
					pass 200ms; is streams=2; info 100; sent a a; ack a; is spooled=0
				leaves a sink that acknowledges only what it was not sent
					info 100; send a; pass 10s; ack x; pass 9s; is streams=1; pass 1200ms; is streams=2 spooled=1
				stays with a sink that acknowledges each message in time
					info 100; send a; 8x(pass 19s, send b, ack a, pass 19s, send a, ack b); is timeouts=0 streams=1
				waits longer after each failure of a sink that stores nothing, at least half of 5 s, until it does
					send a; 20x(info 100, fail, pass 7500ms); is streams=21; info 100; fail; pass 2s; is streams=21
					pass 5500ms; info 100; ack a; fail; pass 100ms; is streams=23
				an adaptive window grows with each acknowledgement until one does not come, also at a low rate
					info 100; is window=16; 20x(send a, pass 10ms, ack a); is window=36; send late; pass 20s
					is window=16
				sends nothing more once a listener has closed it
					window 3; info 100; send a b c d; listener closes; ack a; heard a; sent a b c; is spooled=3
				hands what is refused to the listener and does not send it again
					info 100; send bad good; refuse bad; ack good; pass 40s; sent bad good; heard bad!3 good
					is spoolBytes=0
				refuses what is too large for the sink and sends what is behind it
					send large:1001 small; info 100 max_message_bytes:1000; sent small; heard large:1001!8
					ack small; is spooled=0
				refuses what a sink that takes less is to be sent again
					info 100 max_message_bytes:2000; send large:1001; fail; pass 100ms
					info 100 max_message_bytes:1000; sent large; is refused=1 spooled=0
				acknowledges no message by an answer to another with its id: only the sink can tell a repeat
					info 100; send a a=other b; sent a; ack a; sent a b; refuse a; ack b; heard a a=other!3 b
					is spooled=0
				counts each message once however it ends
					info 100 max_message_bytes:1000; send large:1001 a bad late; refuse bad; ack a; pass 20s
					pass 100ms; info 100; ack a late stranger; ack late; is acknowledged=2 refused=2 spooled=0
				""");
	}

	@Test
	void putsNoMoreBytesTogetherThanItMay() throws Exception {
		for (int i = 0; i < 15; i++) {
			this.script.play("send %s:%s".formatted(i, 1_000 + 100 * i));
		}
		this.script.play("send large:20000; info 1000 batch_messages:100");

		assertThat(this.sink.received).hasSize(16).startsWith("0", "1", "2").endsWith("14", "large");
		assertThat(this.sink.requests.removeLast().getMessageId().toStringUtf8()).isEqualTo("large");
		assertThat(this.sink.requests).hasSizeLessThan(10)
			.extracting(Request::getSerializedSize)
			.allSatisfy((size) -> assertThat(size).as("with the version").isLessThanOrEqualTo(16 * 1024 + 2));
	}

	@Test
	void waitsForRoomAsLongAsItMay() throws Exception {
		byte[] large = new byte[60_000];
		SinkClient client = this.script.client();
		client.send(new Message(ByteString.copyFromUtf8("first"), large));
		assertThatExceptionOfType(SpoolFullException.class)
			.isThrownBy(() -> client.sendAll(List.of(new Message(null, large)), Duration.ofMillis(20)));

		CompletableFuture<ByteString> waiting = new CompletableFuture<>();
		Thread sender = Thread.ofVirtual().start(() -> {
			try {
				waiting.complete(client.sendAll(List.of(new Message(null, large)), Patience.ofSeconds(60)).getFirst());
			}
			catch (InterruptedException | RuntimeException ex) {
				waiting.completeExceptionally(ex);
			}
		});
		this.script.spool.settle(List.of(0L));
		assertThat(waiting.get(Patience.ofSeconds(60).toSeconds(), TimeUnit.SECONDS)).isNotNull();
		sender.join();
	}

	@Test
	void opensAStreamAgainWhenItsListenerFailsAndSaysWhy(CapturedOutput output) {
		this.script.play("info 100; send a b; listener throws; ack a; is connected=false cancelled=1");
		assertThat(output.toString().lines().filter((line) -> line.contains("has ended"))).singleElement()
			.asString()
			.contains("CANCELLED: java.lang.IllegalStateException: listener; trying again");

		// Settled messages are not sent again.
		this.script.play("pass 100ms; info 100; ack b; sent a b b; is spooled=0");
	}

	@Test
	void takesNoResponseBeforeItIsDoneWithTheOneBefore() {
		this.script.play("info 100; send a");
		List<Boolean> takesMore = new ArrayList<>();
		this.script.whenAcknowledged = () -> takesMore.add(this.sink.responses.isReady());

		this.script.play("ack a");

		assertThat(takesMore).containsExactly(false);
		assertThat(this.sink.responses.isReady()).isTrue();
	}

	@Test
	void losesNoMessageWhenTheSpoolFailsWhileItIsSent() {
		AtomicBoolean failing = new AtomicBoolean(true);
		Spool memory = this.script.spool;
		this.script.spool = (Spool) Proxy.newProxyInstance(Spool.class.getClassLoader(), new Class<?>[] { Spool.class },
				(_, method, arguments) -> {
					if (method.getName().equals("hasNext") && failing.getAndSet(false)) {
						throw new IllegalStateException("spool");
					}
					return method.invoke(memory, arguments);
				});

		this.script.play("info 100; send a; is connected=false; pass 100ms; info 100; sent a; ack a; is spooled=0");
	}

	/** gRPC by itself pauses for up to two minutes between its attempts to connect. */
	@Test
	void connectsAtOnceWhenItOpensAnotherStream() {
		ManagedChannel watched = watched();
		this.script.play("info 100");
		clearInvocations(watched);

		this.script.play("fail; pass 100ms");

		verify(watched).resetConnectBackoff();
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
		ManagedChannel watched = watched();
		this.script.play("pass 20s");
		verify(watched, never()).enterIdle();

		this.script.play("pass 21s");
		verify(watched).enterIdle();

		this.script.play("info 100; pass 200s");
		verify(watched).enterIdle();
	}

	private ManagedChannel watched() {
		this.script.channel = mock(ManagedChannel.class, delegatesTo(this.script.channel));
		return this.script.channel;
	}

	@Test
	void showsWhatWaitsAndWhatIsOnItsWay() {
		this.script.play("send a b c; is spooled=3 sent=0");
		SinkClient client = this.script.client();
		assertThat(client.stats().spoolBytes()).isEqualTo(3 * (Spool.OVERHEAD_BYTES + "apayload of a".length()));

		this.script.play("info 2; is connected=true window=2 sent=2");
		assertThat(client.stats().sentBytes()).isEqualTo(2 * this.sink.requests.getFirst().getSerializedSize());

		this.script.play("ack a b; is acknowledged=2; ack c; is oldestMillis=0");
	}

	@Test
	void takesSeveralAtOnceOrNone() throws Exception {
		this.script.play("info 100");
		SinkClient client = this.script.client();
		Message small = new Message(ByteString.copyFromUtf8("a"), new byte[1]);

		assertThatIllegalArgumentException()
			.isThrownBy(() -> client.sendAll(List.of(small, new Message(null, new byte[2_000_000]))));
		assertThatExceptionOfType(SpoolFullException.class)
			.isThrownBy(() -> client.sendAll(List.of(small, new Message(null, new byte[100_000]))));
		assertThat(client.sendAll(List.of())).isEmpty();
		assertThat(this.sink.received).isEmpty();

		assertThat(client.sendAll(List.of(small, new Message(ByteString.copyFromUtf8("b"), new byte[2]))))
			.extracting(ByteString::toStringUtf8)
			.containsExactly("a", "b");
		assertThat(this.sink.received).containsExactly("a", "b");
	}

	@Test
	void refusesToTakeWhatTheSinkNeverTakes() {
		SinkClient client = this.script.client();
		assertThatIllegalArgumentException().isThrownBy(() -> client.send(new byte[2_000_000]));
		assertThatIllegalArgumentException().isThrownBy(() -> new Message(ByteString.EMPTY, new byte[1]));
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new Message(ByteString.copyFrom(new byte[65]), new byte[1]))
			.withMessageContaining("1 to 64 bytes, this one has 65");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new Message(null, new byte[1], ByteString.copyFrom(new byte[129])))
			.withMessageContaining("at most 128 bytes, this one has 129");
		assertThat(new Message(ByteString.copyFrom(new byte[64]), new byte[1], ByteString.copyFrom(new byte[128])))
			.isNotNull();
	}

	@Test
	void sendsNoMoreThanTheTransportTakes() {
		this.sink.requested = 5;
		this.script.play("info 1000; send a b c d e f g h i j k l m n o p; sent a b c d e");
		assertThat(this.script.client().stats().inFlight()).isLessThan(AdaptiveWindow.LEAST);

		this.sink.responses.request(200);
		this.script.play("sent f g h i j k l m n o p");
	}

}
