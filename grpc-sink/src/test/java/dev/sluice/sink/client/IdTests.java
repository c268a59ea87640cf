package dev.sluice.sink.client;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.LongStream;

import com.google.protobuf.ByteString;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class IdTests {

	/** As many ids as are in flight, from several starting points. */
	private static final List<ByteString> IN_A_ROW = LongStream.of(0, 1_000_000, Integer.MAX_VALUE)
		.flatMap((from) -> LongStream.range(from, from + 4_096))
		.mapToObj((number) -> id(0x0123456789abcdefL, number))
		.toList();

	@Test
	void givesIdsThatCountUpHashesOfTheirOwn() {
		assertThat(IN_A_ROW.stream().map((id) -> Id.of(id).hashCode()).distinct()).hasSizeGreaterThan(12_280);
	}

	@Test
	void isNeededWhileProtobufGivesManyOfThemTheSame() {
		assertThat(IN_A_ROW.stream().map(ByteString::hashCode).distinct()).hasSizeLessThan(4_000);
	}

	private static ByteString id(long session, long number) {
		return ByteString.copyFrom(ByteBuffer.allocate(16).putLong(session).putLong(number).flip());
	}

}
