package dev.sluice.sink.request;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.sun.management.ThreadMXBean;
import dev.sluice.contract.sink.BatchedMessage;
import dev.sluice.contract.sink.Request;
import dev.sluice.contract.sink.Session;
import dev.sluice.sink.Fuzz;
import dev.sluice.sink.Requests;
import dev.sluice.sink.sequence.ClientSession;
import io.grpc.KnownLength;
import io.grpc.Status;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RequestMarshallerTests {

	private static final int MAX = 6_000_000;

	private static final ByteString ID = ByteString.copyFromUtf8("id");

	private static final int MUTATIONS = Boolean.getBoolean("sluice.full") ? 200_000 : 20_000;

	private static final byte[] BYTES = "some bytes".getBytes();

	private final RequestMarshaller marshaller = new RequestMarshaller(MAX);

	@Test
	void readsWhatTheGeneratedParserReads() throws IOException {
		Random random = new Random(42);
		int read = 0;
		for (int i = 0; i < MUTATIONS; i++) {
			byte[] wire = Requests.random(random).toByteArray();
			wire = random.nextBoolean() ? Fuzz.mutated(wire, random) : wire;
			boolean agrees = agrees(parse(new Large(wire)), wire);
			if (agrees) {
				read++;
			}
			assertThat(agrees(parse(new Known(wire)), wire)).as("read at once").isEqualTo(agrees);
			assertThat(agrees(parse(new ByteArrayInputStream(wire)), wire)).as("decompressed").isEqualTo(agrees);
		}
		assertThat(read).as("many are still requests").isGreaterThan(MUTATIONS / 4);
	}

	/** Whether both parsers accept it and read the same. */
	private static boolean agrees(Received received, byte[] wire) throws IOException {
		Request expected;
		try {
			expected = Request.parseFrom(wire);
		}
		catch (InvalidProtocolBufferException ex) {
			assertThat(received).isInstanceOf(Received.Unnamed.class);
			return false;
		}
		if (!isNumberedRight(expected) || !isNamed(expected)) {
			assertThat(received).isInstanceOf(Received.Unnamed.class);
			return false;
		}
		List<Received.Message> messages = switch (received) {
			case Received.Message message -> List.of(message);
			case Received.Batch batch -> batch.messages();
			default -> throw new AssertionError(received + " of " + expected);
		};
		assertThat(messages.stream().map(RequestMarshallerTests::read)).isEqualTo(Requests.messages(expected));
		ClientSession session = (received instanceof Received.Batch batch) ? batch.session()
				: messages.getFirst().session();
		assertThat(session).isEqualTo(session(expected));
		return true;
	}

	private static BatchedMessage read(Received.Message message) {
		ByteString payload = ByteString.copyFrom(message.payload());
		BatchedMessage.Builder read = BatchedMessage.newBuilder()
			.setMessageId(message.id())
			.setRoutingKey(message.key())
			.setSequence(message.sequence());
		switch (message.kind()) {
			case PLAIN -> read.setPlainMessage(payload);
			case ZSTD -> read.setZstdCompressed(payload);
			case NONE -> assertThat(payload).isEmpty();
		}
		return read.build();
	}

	private static boolean isNamed(Request request) {
		boolean alone = request.getMessagesCount() == 0;
		boolean empty = request.getMessageId().isEmpty() && request.getSequence() == 0
				&& request.getRoutingKey().isEmpty() && request.getPayloadCase() == Request.PayloadCase.PAYLOAD_NOT_SET;
		return (alone || empty) && request.getMessagesCount() <= Received.Batch.MAX_MESSAGES
				&& Requests.messages(request)
					.stream()
					.allMatch((message) -> !message.getMessageId().isEmpty() && message.getMessageId().size() <= 64
							&& message.getRoutingKey().size() <= 128);
	}

	private static boolean isNumberedRight(Request request) {
		boolean numbered = request.hasSession() || request.getSequence() != 0
				|| request.getMessagesList().stream().anyMatch((message) -> message.getSequence() != 0);
		boolean inRange = Stream
			.concat(Stream.of(request.getSequence()),
					request.getMessagesList().stream().map(BatchedMessage::getSequence))
			.allMatch((sequence) -> sequence >= 0 && sequence < Long.MAX_VALUE);
		Session session = request.getSession();
		boolean known = !request.hasSession() || (session.getId().size() >= 8 && session.getId().size() <= 16
				&& session.getFirstUnsettled() >= 0 && session.getAgeMillis() >= 0 && session.getFirstNew() >= 0);
		return inRange && known && (request.getVersion() == 2 || (request.getVersion() == 1 && !numbered));
	}

	private static @Nullable ClientSession session(Request request) {
		Session session = request.getSession();
		return request.hasSession() ? new ClientSession(session.getId(), session.getFirstUnsettled(),
				session.getAgeMillis(), session.getFirstNew()) : null;
	}

	@Test
	void keepsNothingOfUnknownFields() throws IOException {
		ByteArrayOutputStream wire = new ByteArrayOutputStream();
		CodedOutputStream out = CodedOutputStream.newInstance(wire);
		out.writeUInt32(1, 1);
		out.writeBytes(2, ID);
		out.writeByteArray(9, BYTES);
		for (int i = 0; i < 890_000; i++) {
			out.writeFixed32(1_000 + i % 10, i);
		}
		out.flush();
		byte[] bytes = wire.toByteArray();

		assertThat(parse(bytes)).isInstanceOfSatisfying(Received.Message.class, (message) -> {
			assertThat(message.payload()).isEqualTo(BYTES);
			assertThat(message.memoryBytes()).isLessThan(200);
		});
		assertThat(allocatedBy(bytes)).as("in addition to the test's copy").isLessThan(bytes.length + 100_000L);
	}

	/** Bytes that a second reading allocates. */
	private long allocatedBy(byte[] wire) {
		parse(wire);
		ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
		long before = threads.getCurrentThreadAllocatedBytes();
		parse(wire);
		return threads.getCurrentThreadAllocatedBytes() - before;
	}

	@Test
	void copiesAPayloadOnce() throws IOException {
		byte[] wire = request().setPlainMessage(ByteString.copyFrom(new byte[1_000_000])).build().toByteArray();

		assertThat(((Received.Message) parse(wire)).payload()).hasSize(1_000_000);
		assertThat(allocatedBy(wire)).isLessThan(1_100_000);
	}

	@Test
	void readsNoMoreOfTooManyMessagesThanItKeeps() {
		byte[] wire = new byte[4_000_000];
		for (int i = 0; i < wire.length; i += 5) {
			System.arraycopy(new byte[] { 0x1A, 3, 0x12, 1, 7 }, 0, wire, i, 5);
		}

		assertThat(parse(wire)).isInstanceOf(Received.Unnamed.class);
		assertThat(allocatedBy(wire)).isLessThan(100_000);
	}

	@Test
	void saysThatWhatGrpcDecompressedIsTooLarge() {
		byte[] wire = request().setPlainMessage(ByteString.copyFrom(new byte[100])).build().toByteArray();

		assertThat(new RequestMarshaller(wire.length).parse(new ByteArrayInputStream(wire)))
			.isInstanceOf(Received.Message.class);
		assertThat(new RequestMarshaller(wire.length - 1).parse(new ByteArrayInputStream(wire)))
			.isInstanceOf(Received.TooLarge.class);
	}

	@Test
	void namesNothingOfWhatIsNoProtobuf() throws IOException {
		assertUnnamed("GET / HTTP/1.1\r\n".getBytes(), "not a dev.sluice.sink.v1.Request");
		assertUnnamed(new byte[] { 0 }, "not a dev.sluice.sink.v1.Request");
		byte[] endlessGroups = new byte[4_000_000];
		// Field 1, start of a group.
		Arrays.fill(endlessGroups, (byte) 0x0B);
		assertUnnamed(endlessGroups, "not a dev.sluice.sink.v1.Request");
		// A payload with a declared length of 2 GB and one byte.
		assertUnnamed(new byte[] { 0x4A, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF, 7, 1 },
				"not a dev.sluice.sink.v1.Request");
	}

	private void assertUnnamed(byte[] wire, String words) {
		assertThat(parse(wire)).isInstanceOfSatisfying(Received.Unnamed.class, (unnamed) -> {
			assertThat(unnamed.status().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
			assertThat(unnamed.status().getDescription()).contains(words);
		});
	}

	/** A stream like gRPC's for an uncompressed message. */
	private static class Known extends ByteArrayInputStream implements KnownLength {

		Known(byte[] wire) {
			super(wire);
		}

	}

	/** One that is too large to be read at once. */
	private static final class Large extends Known {

		Large(byte[] wire) {
			super(wire);
		}

		@Override
		public int available() {
			return Math.max(super.available(), 20_000);
		}

	}

	private Received parse(byte[] wire) {
		return parse(new Known(wire));
	}

	private Received parse(InputStream wire) {
		return this.marshaller.parse(wire);
	}

	private static Request.Builder request() {
		return Request.newBuilder().setVersion(1).setMessageId(ID);
	}

}
