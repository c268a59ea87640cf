package dev.sluice.sink.client.wire;

import java.util.Random;

import com.github.luben.zstd.Zstd;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class CompressionTests {

	private static final int ENOUGH = 8;

	private final Random random = new Random(1);

	private final Compression compression = new Compression(1, null);

	@AfterEach
	void close() {
		this.compression.close();
	}

	@Test
	void makesAFrameOfWhatGetsSmaller() {
		byte[] payload = new byte[1_000];

		byte[] frame = this.compression.compress(payload);

		assertThat(frame).hasSizeLessThan(payload.length);
		assertThat(Zstd.decompress(frame, payload.length)).isEqualTo(payload);
	}

	@Test
	void leavesWhatIsSmallAsItIs() {
		assertThat(this.compression.compress(new byte[63])).isNull();
		assertThat(this.compression.compress(new byte[64])).isNotNull();
	}

	@Test
	void leavesWhatWouldNotGetSmallerAsItIs() {
		assertThat(this.compression.compress(noise())).isNull();
	}

	@Test
	void triesOneInSixteenOnceItHasBeenInVainForSome() {
		for (int i = 0; i < ENOUGH; i++) {
			assertThat(this.compression.compress(noise())).isNull();
		}

		for (int i = 0; i < 8; i++) {
			assertThat(this.compression.compress(new byte[1_000])).as("not tried").isNull();
		}
		assertThat(this.compression.compress(new byte[1_000])).as("tried").isNotNull();
		assertThat(this.compression.compress(new byte[1_000])).as("it pays again").isNotNull();
	}

	@Test
	void triesEachWhileItIsNotInVainForSomeInARow() {
		for (int i = 0; i < 10; i++) {
			for (int j = 0; j < ENOUGH - 1; j++) {
				assertThat(this.compression.compress(noise())).isNull();
			}
			assertThat(this.compression.compress(new byte[1_000])).isNotNull();
		}
	}

	private byte[] noise() {
		byte[] noise = new byte[1_000];
		this.random.nextBytes(noise);
		return noise;
	}

}
