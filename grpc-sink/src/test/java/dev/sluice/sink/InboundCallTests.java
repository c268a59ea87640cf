package dev.sluice.sink;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import dev.sluice.sink.limit.SharedLimit;
import io.grpc.Attributes;
import io.grpc.Context;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

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

	private final Script script = new Script().word("listen", (_) -> this.call.onBrokenLimit(this.ends::add))
		.word("others", (bytes) -> this.memory.add(Long.parseLong(bytes.getFirst())))
		.word("begin", (_) -> this.call.inboundMessage(0))
		.word("bytes", (bytes) -> this.call.inboundWireSize(Long.parseLong(bytes.getFirst())))
		.word("whole", (_) -> this.call.inboundMessageRead(0, 0, 0))
		.word("handed-over", (_) -> this.call.handedOver())
		.is(() -> "used=%s ends=%s reset=%s".formatted(this.memory.used(), this.ends.size(),
				this.context.isCancelled()));

	@ParameterizedTest(name = "{0}")
	@MethodSource
	void follows(String what, String steps) {
		this.script.play(steps);

		assertThat(this.ends).allSatisfy((end) -> assertThat(end.getDescription()).contains("sink.limits.memory"));
	}

	static Stream<Arguments> follows() {
		return Script.scenarios("""
				a message that is not whole counts while the one before it is handed over
					begin; bytes 100; whole; begin; bytes 70; handed-over; is used=70
					bytes 5; whole; is used=75; handed-over; is used=0
				is ended for what brings the memory to twice its limit
					listen; others 199900; begin; bytes 100; is ends=0; bytes 1; is ends=1 reset=false
				is reset at once where there is no room to wait
					listen; others 269990; begin; bytes 10; is reset=false; bytes 1; is reset=true
				""");
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

}
