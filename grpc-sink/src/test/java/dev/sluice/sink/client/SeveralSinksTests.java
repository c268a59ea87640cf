package dev.sluice.sink.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** One client and two sinks. The test controls time. */
class SeveralSinksTests {

	private static final Duration ACK_TIMEOUT = Duration.ofSeconds(20);

	private static final int WINDOW = 4;

	private final ScriptedSink first = new ScriptedSink();

	private final ScriptedSink second = new ScriptedSink();

	private final ManualLoop loop = new ManualLoop();

	private final List<Server> servers = new ArrayList<>();

	private final List<ManagedChannel> channels = new ArrayList<>();

	private final List<RuntimeException> troubles = new ArrayList<>();

	private SinkClient client;

	@BeforeEach
	void start() throws Exception {
		for (ScriptedSink sink : List.of(this.first, this.second)) {
			String name = InProcessServerBuilder.generateName();
			this.servers.add(InProcessServerBuilder.forName(name).directExecutor().addService(sink).build().start());
			this.channels.add(InProcessChannelBuilder.forName(name).directExecutor().build());
		}
		this.client = new SinkClient(this.channels,
				SinkClientOptions.inMemory().withWindow(WINDOW).withAckTimeout(ACK_TIMEOUT), new DeliveryListener() {

					@Override
					public void acknowledged(List<ByteString> ids) {
						if (!SeveralSinksTests.this.troubles.isEmpty()) {
							throw SeveralSinksTests.this.troubles.removeFirst();
						}
					}

				}, new MemorySpool(100_000), this.loop);
	}

	@AfterEach
	void stop() {
		this.client.close();
		this.channels.forEach(ManagedChannel::shutdownNow);
		this.servers.forEach(Server::shutdownNow);
		assertThat(this.loop.failures()).isEmpty();
	}

	@Test
	void sendsToTheSinkThatHasLeastOfItsWindowInUse() throws Exception {
		this.first.sendInfo(100);
		this.second.sendInfo(2);

		send("a", "b", "c", "d", "e", "f");

		assertThat(this.first.received).containsExactly("a", "c", "d", "f");
		assertThat(this.second.received).as("half the window").containsExactly("b", "e");
		assertThat(this.client.stats().inFlight()).isEqualTo(6);
		assertThat(this.client.stats().window()).isEqualTo(6);

		this.second.ack("b", "e");
		send("g");
		assertThat(this.second.received).containsExactly("b", "e", "g");
		this.first.ack("a", "c", "d", "f");
		this.second.ack("g");
		assertThat(this.client.stats().spooled()).isZero();
	}

	@Test
	void sendsEverythingToTheOneThatAnswersWhileTheOtherSaysNothing() throws Exception {
		this.second.sendInfo(100);

		send("a", "b", "c");

		assertThat(this.first.received).isEmpty();
		assertThat(this.second.received).containsExactly("a", "b", "c");
		assertThat(this.client.stats().connected()).isTrue();
	}

	@Test
	void sendsAtOnceToAnotherSinkWhatWasInFlightToOneThatIsGone() throws Exception {
		this.first.sendInfo(100);
		this.second.sendInfo(100);
		send("a", "b", "c", "d");
		assertThat(this.second.received).containsExactly("b", "d");

		this.first.fail(Status.UNAVAILABLE);

		assertThat(this.second.received).containsExactly("b", "d", "a", "c");
		assertThat(this.client.stats().connected()).isTrue();
		this.second.ack("a", "b", "c", "d");
		assertThat(this.client.stats().spooled()).isZero();
		this.loop.pass(Duration.ofMillis(100));
		assertThat(this.first.streams).as("it is tried again").isEqualTo(2);
	}

	@Test
	void sendsToAnotherSinkWhatOneDoesNotAcknowledgeAndLeavesThatOne() throws Exception {
		this.first.sendInfo(100);
		this.second.sendInfo(100);
		send("a", "b", "c", "d");

		for (int i = 0; i < 6; i++) {
			this.loop.pass(ACK_TIMEOUT.dividedBy(2));
			this.second.ack(this.second.received.toArray(String[]::new));
		}
		this.loop.pass(Duration.ofMillis(200));

		assertThat(this.first.streams).as("three times without an acknowledgement").isEqualTo(2);
		this.second.ack(this.second.received.toArray(String[]::new));
		assertThat(this.client.stats().spooled()).isZero();
		assertThat(new TreeSet<>(this.second.received)).containsExactly("a", "b", "c", "d");
	}

	@Test
	void givesOneThatLosesMessagesOneAtATimeUntilItAcknowledges() throws Exception {
		this.first.sendInfo(100);
		this.second.sendInfo(100);
		send("a", "b", "c", "d");
		this.second.ack("b", "d");
		this.loop.pass(ACK_TIMEOUT);
		int before = this.first.received.size();
		assertThat(before).as("a and c, and one of them again").isEqualTo(3);

		send("e", "f", "g");
		assertThat(this.first.received).hasSize(before);
		assertThat(this.second.received).contains("e", "f");

		String probe = this.first.received.getLast();
		this.first.ack(probe);
		this.second.ack(this.second.received.toArray(String[]::new));
		send("h", "i");
		assertThat(this.first.received.size()).isGreaterThan(before);
	}

	@Test
	void takesALateAcknowledgementOfWhatAnotherSinkHasBeenSent() throws Exception {
		this.first.sendInfo(100);
		this.second.sendInfo(100);
		send("a", "b");
		this.loop.pass(ACK_TIMEOUT);

		this.first.ack("a", "b");
		this.second.ack("a", "b");

		assertThat(this.client.stats().spooled()).isZero();
		assertThat(this.client.stats().inFlight()).isZero();
	}

	@Test
	void settlesMessagesWithOneIdOnDifferentSinks() throws Exception {
		this.first.sendInfo(100);
		this.second.sendInfo(100);
		send("a", "a", "a");
		assertThat(this.client.stats().spooled()).isEqualTo(3);

		this.second.ack("a");
		this.first.fail(Status.UNAVAILABLE);
		this.second.ack("a");

		assertThat(this.client.stats().spooled()).isZero();
	}

	@Test
	void beginsAnewOnAllSinksWhenItsListenerFails() throws Exception {
		this.first.sendInfo(100);
		this.second.sendInfo(100);
		send("a", "b", "c", "d");
		this.troubles.add(new IllegalStateException("listener"));

		this.first.ack("a");
		this.loop.pass(Duration.ofMillis(100));
		this.first.sendInfo(100);
		this.second.sendInfo(100);
		for (int i = 0; i < 4; i++) {
			this.first.ack(this.first.received.toArray(String[]::new));
			this.second.ack(this.second.received.toArray(String[]::new));
		}

		assertThat(this.client.stats().spooled()).isZero();
	}

	@Test
	void needsASink() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> SinkClient.open(List.of(), SinkClientOptions.inMemory(), DeliveryListener.NONE));
	}

	private void send(String... ids) throws InterruptedException {
		for (String id : ids) {
			this.client.send(ByteString.copyFromUtf8(id), ("payload of " + id).getBytes());
		}
	}

}
