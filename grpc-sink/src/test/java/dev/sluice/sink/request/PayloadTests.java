package dev.sluice.sink.request;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdOutputStream;
import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import dev.sluice.contract.sink.Request;
import io.grpc.Status;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class PayloadTests {

	private static final int MAX = 100_000;

	private static final byte[] DICTIONARY = SampleDictionary.bytes();

	private static final Decompressor DECOMPRESSOR = new Decompressor(MAX, DICTIONARY);

	private static final byte[] BYTES = "some bytes, some bytes, some bytes".getBytes();

	@Test
	void readsPlainBytesAsTheyAre() {
		assertRead(request().setPlainMessage(ByteString.copyFrom(BYTES)), BYTES);
		assertRead(request().setPlainMessage(ByteString.EMPTY), new byte[0]);
		assertRead(request().setPlainMessage(ByteString.copyFrom(new byte[MAX])), new byte[MAX]);
	}

	@Test
	void readsAFrameThatSaysItsSize() {
		assertRead(zstd(Zstd.compress(BYTES)), BYTES);
		assertRead(zstd(Zstd.compress(new byte[0])), new byte[0]);
		assertRead(zstd(Zstd.compress(new byte[MAX])), new byte[MAX]);
	}

	@Test
	void readsAFrameThatDoesNotSayItsSize() throws IOException {
		byte[] random = new byte[MAX];
		new Random(42).nextBytes(random);

		assertRead(zstd(streamed(BYTES, 0)), BYTES);
		assertRead(zstd(streamed(random, 0)), random);
	}

	@Test
	void readsAFrameThatWasMadeWithTheDictionary() {
		byte[] message = SampleDictionary.message(7);

		assertRead(zstd(Zstd.compressUsingDict(message, DICTIONARY, 3)), message);
		assertRead(zstd(Zstd.compressUsingDict(message, DICTIONARY, 3)), message);
	}

	@Test
	void refusesAFrameThatWasMadeWithADictionaryItDoesNotKnow() {
		byte[] frame = Zstd.compressUsingDict(SampleDictionary.message(7), DICTIONARY, 3);

		assertThat(new Decompressor(MAX, null).read(frame)).isInstanceOfSatisfying(Payload.Refused.class,
				(refused) -> assertThat(refused.status().getDescription()).contains("dictionary",
						Long.toString(Zstd.getDictIdFromDict(DICTIONARY))));
	}

	@Test
	void takesNothingElseForADictionary() {
		assertThatIllegalArgumentException().isThrownBy(() -> new Decompressor(MAX, BYTES));
	}

	@Test
	void refusesWhatIsTooLarge() throws IOException {
		assertRefused(request().setPlainMessage(ByteString.copyFrom(new byte[MAX + 1])),
				Status.Code.RESOURCE_EXHAUSTED);
		assertRefused(zstd(Zstd.compress(new byte[MAX + 1])), Status.Code.RESOURCE_EXHAUSTED);
		assertRefused(zstd(streamed(new byte[MAX + 1], 0)), Status.Code.RESOURCE_EXHAUSTED);
		assertRefused(zstd(streamed(new byte[100_000_000], 0)), Status.Code.RESOURCE_EXHAUSTED);
	}

	@Test
	void refusesAFrameThatWantsALargeWindow() throws IOException {
		assertRefused(zstd(streamed(BYTES, 27)), Status.Code.RESOURCE_EXHAUSTED);
		assertRead(zstd(streamed(BYTES, 23)), BYTES);
	}

	@Test
	void refusesAnythingButExactlyOneFrame() throws IOException {
		byte[] skippable = { 0x50, 0x2A, 0x4D, 0x18, 4, 0, 0, 0, 1, 2, 3, 4 };
		for (byte[] frame : List.of(Zstd.compress(BYTES), streamed(BYTES, 0), Zstd.compress(new byte[0]))) {
			for (byte[] other : List.of(frame, Zstd.compress(new byte[0]), skippable, new byte[1])) {
				assertRefused(zstd(joined(frame, other)), Status.Code.INVALID_ARGUMENT);
			}
			assertRefused(zstd(joined(skippable, frame)), Status.Code.INVALID_ARGUMENT);
			assertThat(DECOMPRESSOR.contentBytes(joined(frame, frame))).as("nothing is reserved for it").isZero();
		}
		assertRefused(zstd(skippable), Status.Code.INVALID_ARGUMENT);
	}

	private static byte[] joined(byte[] first, byte[] second) {
		byte[] both = Arrays.copyOf(first, first.length + second.length);
		System.arraycopy(second, 0, both, first.length, second.length);
		return both;
	}

	@Test
	void refusesAMissingPayloadAndOneOfAKindItDoesNotKnow() throws IOException {
		assertRefused(request(), Status.Code.INVALID_ARGUMENT);
		Request brotli = Request.parseFrom(request().setUnknownFields(UnknownFieldSet.newBuilder()
			.addField(11, UnknownFieldSet.Field.newBuilder().addLengthDelimited(ByteString.copyFrom(BYTES)).build())
			.build()).build().toByteString());

		assertThat(Payload.read(received(brotli), MAX, DECOMPRESSOR)).isInstanceOfSatisfying(Payload.Refused.class,
				(refused) -> assertThat(refused.status().getDescription()).contains("known kind"));
	}

	private static void assertRead(Request.Builder request, byte[] expected) {
		assertThat(Payload.read(received(request.build()), MAX, DECOMPRESSOR)).isInstanceOfSatisfying(
				Payload.Readable.class, (readable) -> assertThat(readable.bytes()).isEqualTo(expected));
	}

	private static void assertRefused(Request.Builder request, Status.Code code) {
		assertThat(Payload.read(received(request.build()), MAX, DECOMPRESSOR))
			.isInstanceOfSatisfying(Payload.Refused.class, (refused) -> {
				assertThat(refused.status().getCode()).isEqualTo(code);
				assertThat(refused.status().getDescription()).isNotBlank();
			});
	}

	private static Received.Message received(Request request) {
		return (Received.Message) new RequestMarshaller(1_000_000).parse(request.toByteString().newInput());
	}

	private static Request.Builder request() {
		return Request.newBuilder().setVersion(1).setMessageId(ByteString.copyFromUtf8("id"));
	}

	private static Request.Builder zstd(byte[] frame) {
		return request().setZstdCompressed(ByteString.copyFrom(frame));
	}

	private static byte[] streamed(byte[] bytes, int windowLog) throws IOException {
		ByteArrayOutputStream out = new ByteArrayOutputStream();
		try (ZstdOutputStream zstd = new ZstdOutputStream(out)) {
			if (windowLog > 0) {
				zstd.setLong(windowLog);
			}
			zstd.write(bytes);
		}
		return out.toByteArray();
	}

}
