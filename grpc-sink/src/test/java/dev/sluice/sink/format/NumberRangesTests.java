package dev.sluice.sink.format;

import java.util.BitSet;
import java.util.Random;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class NumberRangesTests {

	/** Compares with a bit set, in random order. */
	@Test
	void holdsWhatIsAdded() {
		for (int seed = 0; seed < 200; seed++) {
			Random random = new Random(seed);
			NumberRanges ranges = new NumberRanges();
			BitSet expected = new BitSet();
			for (int i = 0; i < 60; i++) {
				int from = random.nextInt(200);
				int to = from + random.nextInt(12);
				ranges.add(from, to);
				expected.set(from, to);
				int low = random.nextInt(220);
				int high = low + random.nextInt(50);
				assertThat(ranges.count(low, high)).isEqualTo(expected.get(low, high).cardinality());
				assertThat(ranges.firstMissing(low)).isEqualTo(expected.nextClearBit(low));
				assertThat(ranges.firstPresent(low))
					.isEqualTo((expected.nextSetBit(low) >= 0) ? expected.nextSetBit(low) : Long.MAX_VALUE);
				assertThat(ranges.contains(low)).isEqualTo(expected.get(low));
				assertThat(ranges.end()).isEqualTo(expected.length());
			}
			NumberRanges decoded = new NumberRanges();
			decoded.addEncoded(ranges.encode());
			assertThat(decoded.encode()).isEqualTo(ranges.encode());
			assertThat(ranges.isEmpty()).isFalse();
		}
	}

	@Test
	void keepsOneRangeWhereThereIsNoGap() {
		NumberRanges ranges = new NumberRanges();
		for (int i = 0; i < 1_000; i += 2) {
			ranges.add(i, i + 1);
		}
		assertThat(ranges.encode()).hasSize(500 * 16);

		for (int i = 1; i < 1_000; i += 2) {
			ranges.add(i, i + 1);
		}
		assertThat(ranges.encode()).hasSize(16);
	}

}
