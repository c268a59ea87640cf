package dev.sluice.sink;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import dev.sluice.sink.limit.SharedLimit;
import io.grpc.Attributes;
import io.grpc.Context;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

/** What the transport says of a call, in the test's order and time. */
class InboundCallTests {

	private static final int MAX_MESSAGE = 1_000;

	private static final int MEMORY = 100_000;

	private static final int FLOW_WINDOW = 70_000;

	private static final SinkProperties PROPERTIES = Settings.of("sink.limits.memory=" + MEMORY + "B",
			"sink.limits.flow-window=" + FLOW_WINDOW + "B", "sink.limits.max-message=" + MAX_MESSAGE + "B");

	private final SharedLimit memory = new SharedLimit(MEMORY, 1, Runnable::run);

	private final AtomicLong nanoTime = new AtomicLong(-1_000);

	private final InboundLimits limits = new InboundLimits(PROPERTIES, this.memory, this.nanoTime::get);

	private final InboundCall call = newCall();

	private final Context context = this.call.filterContext(Context.ROOT);

	private final List<Status> ends = new ArrayList<>();

	@Test
	void aMessageThatIsNotWholeCountsWhileTheOneBeforeItIsHandedOver() {
		message(100);
		begin();
		bytes(70);

		this.call.handedOver();
		assertThat(this.memory.used()).isEqualTo(70);

		bytes(5);
		whole();
		assertThat(this.memory.used()).isEqualTo(75);
		this.call.handedOver();
		assertThat(this.memory.used()).isZero();
	}

	@Test
	void isEndedForWhatBringsTheMemoryToTwiceItsLimit() {
		listen();
		this.memory.add(2 * MEMORY - 100);
		begin();
		bytes(100);
		assertThat(this.ends).isEmpty();

		bytes(1);

		assertThat(this.ends).singleElement()
			.satisfies((end) -> assertThat(end.getDescription()).contains("sink.limits.memory"));
		assertThat(this.context.isCancelled()).isFalse();
	}

	@Test
	void isResetAtOnceWhereThereIsNoRoomToWait() {
		listen();
		this.memory.add(2 * MEMORY + FLOW_WINDOW - 10);
		begin();
		bytes(10);
		assertThat(this.context.isCancelled()).isFalse();

		bytes(1);

		assertThat(this.context.isCancelled()).isTrue();
	}

	@Test
	void aClientWithoutACertificateIsItsAddressWhateverThePort() throws Exception {
		InetAddress address = InetAddress.getByAddress(new byte[] { 10, 0, 0, 1 });
		assertThat(this.call.client()).as("before it has started").isEqualTo("unknown");

		started(new InetSocketAddress(address, 1));
		assertThat(this.call.client()).isEqualTo(address);
		started(new InetSocketAddress(address, 2));
		assertThat(this.call.client()).isEqualTo(address);
		started(InetSocketAddress.createUnresolved("nowhere", 2));
		assertThat(this.call.client()).asString().contains("nowhere");
	}

	private void started(SocketAddress address) {
		ServerStreamTracer.ServerCallInfo<?, ?> info = mock(ServerStreamTracer.ServerCallInfo.class);
		when(info.getAttributes())
			.thenReturn(Attributes.newBuilder().set(Grpc.TRANSPORT_ATTR_REMOTE_ADDR, address).build());
		this.call.serverCallStarted(info);
	}

	private InboundCall newCall() {
		return (InboundCall) this.limits.newServerStreamTracer("Send", new Metadata());
	}

	private void listen() {
		this.call.onBrokenLimit(this.ends::add);
	}

	private void message(long bytes) {
		begin();
		bytes(bytes);
		whole();
	}

	private void begin() {
		this.call.inboundMessage(0);
	}

	private void bytes(long bytes) {
		this.call.inboundWireSize(bytes);
	}

	private void whole() {
		this.call.inboundMessageRead(0, 0, 0);
	}

}
