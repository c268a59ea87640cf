package dev.sluice.consumer.offsets;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;

import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class PartitionProgressTests {

	private final PartitionProgress<String> progress = new PartitionProgress<>(FinishedOffsets.NONE);

	@Test
	void refusesToBeginBackwards() {
		begin(10, 12);

		assertThatIllegalStateException().isThrownBy(() -> begin(11)).withMessageContaining("offset 11");
	}

	@Test
	void passesWhatFinishedInAnEarlierLife() {
		begin(10, 11, 12, 13);
		this.progress.finish(11);
		this.progress.finish(13);
		PartitionProgress<String> later = new PartitionProgress<>(committed());

		assertThat(later.skipIfFinished(10)).isFalse();
		later.begin(10, "again");
		assertThat(later.skipIfFinished(11)).isTrue();
		assertThat(later.skipIfFinished(12)).isFalse();
		later.begin(12, "again");
		later.finish(10);
		later.finish(12);

		// Only the earlier commit says that 13 is finished, and that must not be lost.
		assertThat(later.committable().offset()).isEqualTo(13);
		assertThat(FinishedOffsets.parse(13, later.committable().metadata()).contains(13)).isTrue();
		assertThat(later.skipIfFinished(13)).isTrue();
		assertThat(later.committable().offset()).isEqualTo(14);
	}

	/** Compares with the obvious model, whatever the order in which records finish. */
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
			assertThat(committable()).isEqualTo(unfinished.isEmpty() ? next : unfinished.first());
			if (step % 100 == 0) {
				FinishedOffsets committed = committed();
				for (long offset = committable(); offset < next + 3; offset++) {
					assertThat(committed.contains(offset)).as("%s", offset)
						.isEqualTo(offset < next && !unfinished.contains(offset));
				}
			}
		}
		assertThat(this.progress.unfinished()).hasSameSizeAs(unfinished);
	}

	private long committable() {
		return this.progress.committable().offset();
	}

	/** Parses a commit as the next reader does. */
	private FinishedOffsets committed() {
		OffsetAndMetadata commit = this.progress.committable();
		return FinishedOffsets.parse(commit.offset(), commit.metadata());
	}

	private void begin(long... offsets) {
		for (long offset : offsets) {
			this.progress.begin(offset, "work-" + offset);
		}
	}

}
