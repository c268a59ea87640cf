package dev.sluice.sink;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Random;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnknownFieldSet;
import com.sun.management.ThreadMXBean;
import dev.sluice.contract.sink.Request;
import io.grpc.Status;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RequestMarshallerTests {

	private static final int MAX = 5_000_000;

	private static final ByteString ID = ByteString.copyFromUtf8("id");

	private static final byte[] BYTES = "some bytes".getBytes();

	private final RequestMarshaller marshaller = new RequestMarshaller(MAX);

	@Test
	void readsWhatTheGeneratedParserReads() throws IOException {
		Random random = new Random(42);
		int read = 0;
		for (int i = 0; i < 200_000; i++) {
			byte[] wire = mutated(request(random).toByteArray(), random);
			if (agrees(wire)) {
				read++;
			}
		}
		assertThat(read).as("many are still requests").isGreaterThan(50_000);
	}

	/** Whether both have read it, and the same. */
	private boolean agrees(byte[] wire) throws IOException {
		Received received = parse(wire);
		Request expected;
		try {
			expected = Request.parseFrom(wire);
		}
		catch (InvalidProtocolBufferException ex) {
			assertThat(received).isInstanceOf(Received.Unnamed.class);
			return false;
		}
		int idBytes = expected.getMessageId().size();
		if (expected.getVersion() != 1 || idBytes == 0 || idBytes > 64) {
			assertThat(received).isInstanceOf(Received.Unnamed.class);
			return false;
		}
		assertThat(received).isInstanceOfSatisfying(Received.Message.class, (message) -> {
			assertThat(message.id()).isEqualTo(expected.getMessageId());
			switch (message.kind()) {
				case PLAIN -> assertThat(message.payload()).isEqualTo(expected.getPlainMessage().toByteArray());
				case ZSTD -> assertThat(message.payload()).isEqualTo(expected.getZstdCompressed().toByteArray());
				case UNKNOWN -> assertThat(expected.getUnknownFields().asMap()).isNotEmpty();
				case NONE -> assertThat(expected.getUnknownFields().asMap()).isEmpty();
			}
			assertThat(message.kind() == Received.Kind.PLAIN).isEqualTo(expected.hasPlainMessage());
			assertThat(message.kind() == Received.Kind.ZSTD).isEqualTo(expected.hasZstdCompressed());
		});
		return true;
	}

	private static Request request(Random random) {
		Request.Builder request = Request.newBuilder().setVersion(1);
		byte[] payload = new byte[random.nextInt(300)];
		random.nextBytes(payload);
		request.setMessageId(ByteString.copyFrom(new byte[1 + random.nextInt(66)]));
		if (random.nextBoolean()) {
			request.setPlainMessage(ByteString.copyFrom(payload));
		}
		else {
			request.setZstdCompressed(ByteString.copyFrom(payload));
		}
		if (random.nextInt(4) == 0) {
			request.setUnknownFields(UnknownFieldSet.newBuilder()
				.addField(11, UnknownFieldSet.Field.newBuilder().addVarint(3).addFixed32(4).build())
				.addField(12,
						UnknownFieldSet.Field.newBuilder()
							.addGroup(UnknownFieldSet.newBuilder()
								.addField(1, UnknownFieldSet.Field.newBuilder().addFixed64(1).build())
								.build())
							.build())
				.build());
		}
		return request.build();
	}

	private static byte[] mutated(byte[] wire, Random random) {
		return switch (random.nextInt(4)) {
			case 0 -> Arrays.copyOf(wire, random.nextInt(wire.length + 1));
			case 1 -> {
				wire[random.nextInt(Math.min(wire.length, 90))] = (byte) random.nextInt();
				yield wire;
			}
			case 2 -> {
				byte[] twice = Arrays.copyOf(wire, 2 * wire.length);
				System.arraycopy(wire, 0, twice, wire.length, wire.length);
				yield twice;
			}
			default -> wire;
		};
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
		parse(bytes);

		long before = allocated();
		Received received = new RequestMarshaller(Integer.MAX_VALUE).parse(ByteString.copyFrom(bytes).newInput());
		long allocated = allocated() - before;

		assertThat(received).isInstanceOfSatisfying(Received.Message.class, (message) -> {
			assertThat(message.payload()).isEqualTo(BYTES);
			assertThat(message.memoryBytes()).isLessThan(200);
		});
		assertThat(allocated).as("beside the copy of the test").isLessThan(bytes.length + 100_000L);
	}

	private static long allocated() {
		return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
	}

	@Test
	void copiesAPayloadOnce() throws IOException {
		byte[] wire = request().setPlainMessage(ByteString.copyFrom(new byte[1_000_000])).build().toByteArray();
		parse(wire);

		long before = allocated();
		Received received = parse(wire);
		long allocated = allocated() - before;

		assertThat(((Received.Message) received).payload()).hasSize(1_000_000);
		assertThat(allocated).isLessThan(1_100_000);
	}

	@Test
	void readsAMessageWithoutAPayloadAsSuch() throws IOException {
		assertThat(parse(request().build().toByteArray())).isInstanceOfSatisfying(Received.Message.class,
				(message) -> assertThat(message.kind()).isEqualTo(Received.Kind.NONE));
	}

	@Test
	void namesNothingOfAnUnknownVersion() throws IOException {
		assertUnnamed(request().setVersion(0).build().toByteArray(), "Version 0");
		assertUnnamed(request().setVersion(2).build().toByteArray(), "Version 2");
	}

	@Test
	void namesNothingWithoutAnIdOrWithALongOne() throws IOException {
		assertUnnamed(request().setMessageId(ByteString.EMPTY).build().toByteArray(), "message_id has 0 bytes");
		assertUnnamed(request().setMessageId(ByteString.copyFrom(new byte[65])).build().toByteArray(),
				"message_id has 65 bytes");
		assertThat(parse(request().setMessageId(ByteString.copyFrom(new byte[64])).build().toByteArray()))
			.isInstanceOf(Received.Message.class);
	}

	@Test
	void namesNothingOfWhatIsNoProtobuf() throws IOException {
		assertUnnamed("GET / HTTP/1.1\r\n".getBytes(), "no dev.sluice.sink.v1.Request");
		assertUnnamed(new byte[] { 0 }, "no dev.sluice.sink.v1.Request");
		byte[] endlessGroups = new byte[4_000_000];
		// Field 1, start of a group.
		Arrays.fill(endlessGroups, (byte) 0x0B);
		assertUnnamed(endlessGroups, "no dev.sluice.sink.v1.Request");
		// A payload that says it has 2 GB and has one byte.
		assertUnnamed(new byte[] { 0x4A, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF, 7, 1 },
				"no dev.sluice.sink.v1.Request");
	}

	@Test
	void readsNoMoreThanItMay() {
		byte[] wire = request().setPlainMessage(ByteString.copyFrom(new byte[10_000])).build().toByteArray();

		assertThat(new RequestMarshaller(10_000).parse(ByteString.copyFrom(wire).newInput()))
			.isInstanceOf(Received.Unnamed.class);
	}

	private void assertUnnamed(byte[] wire, String words) {
		assertThat(parse(wire)).isInstanceOfSatisfying(Received.Unnamed.class, (unnamed) -> {
			assertThat(unnamed.status().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
			assertThat(unnamed.status().getDescription()).contains(words);
		});
	}

	private Received parse(byte[] wire) {
		return this.marshaller.parse(new java.io.ByteArrayInputStream(wire));
	}

	private static Request.Builder request() {
		return Request.newBuilder().setVersion(1).setMessageId(ID);
	}

}
