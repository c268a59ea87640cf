package dev.sluice.consumer.delivery;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class PartitionProgressTests {

	private final PartitionProgress<String> progress = new PartitionProgress<>(10);

	@Test
	void commitsNothingBeforeAnythingHasBegun() {
		assertThat(this.progress.committable()).isEqualTo(10);
	}

	@Test
	void stopsAtTheLowestUnfinished() {
		begin(10, 11, 12);

		this.progress.finish(11);
		this.progress.finish(12);

		assertThat(this.progress.committable()).isEqualTo(10);
	}

	@Test
	void passesAllThatFinishedOnceTheLowestHas() {
		begin(10, 11, 12, 13);
		this.progress.finish(12);
		this.progress.finish(11);

		this.progress.finish(10);

		assertThat(this.progress.committable()).isEqualTo(13);
	}

	@Test
	void passesOffsetsThatNeverBegin() {
		begin(10, 15, 40);

		this.progress.finish(10);
		assertThat(this.progress.committable()).isEqualTo(15);

		this.progress.finish(15);
		this.progress.finish(40);
		assertThat(this.progress.committable()).isEqualTo(41);
	}

	@Test
	void tellsWhatIsUnfinishedLowestFirst() {
		begin(10, 11, 12);

		this.progress.finish(11);

		assertThat(this.progress.unfinished()).containsExactly("work-10", "work-12");
	}

	@Test
	void refusesToBeginBackwards() {
		begin(10, 12);

		assertThatIllegalStateException().isThrownBy(() -> begin(11)).withMessageContaining("offset 11");
	}

	/** Against the obvious model, whatever the order of ends. */
	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3, 4, 5, 6, 7, 8 })
	void neverPassesAnUnfinishedOffset(long seed) {
		Random random = new Random(seed);
		TreeSet<Long> unfinished = new TreeSet<>();
		List<Long> begun = new ArrayList<>();
		long next = 10;
		for (int step = 0; step < 5_000; step++) {
			if (begun.isEmpty() || random.nextInt(100) < 52) {
				long offset = next + (random.nextInt(10) == 0 ? random.nextInt(5) : 0);
				begin(offset);
				unfinished.add(offset);
				begun.add(offset);
				next = offset + 1;
			}
			else {
				Collections.swap(begun, random.nextInt(begun.size()), begun.size() - 1);
				long offset = begun.removeLast();
				this.progress.finish(offset);
				unfinished.remove(offset);
			}
			assertThat(this.progress.committable()).isEqualTo(unfinished.isEmpty() ? next : unfinished.first());
		}
		assertThat(this.progress.unfinished()).hasSameSizeAs(unfinished);
	}

	private void begin(long... offsets) {
		for (long offset : offsets) {
			this.progress.begin(offset, "work-" + offset);
		}
	}

}
