package dev.sluice.consumer.offsets;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class PartitionProgressTests {

	private PartitionProgress<String> progress = new PartitionProgress<>(FinishedOffsets.NONE);

	@Test
	void refusesToBeginBackwards() {
		begin(10, 12);

		assertThatIllegalStateException().isThrownBy(() -> begin(11)).withMessageContaining("offset 11");
	}

	/**
	 * Compares with the obvious model, whatever the order in which records finish, and
	 * over readers that go on from a commit.
	 */
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
			if (step % 100 == 0 && committable() < next) {
				// The first reader commits before it has read all of it again.
				readAgain(committable() + 1 + random.nextInt((int) (next - committable())), next, unfinished);
				readAgain(next, next, unfinished);
			}
		}
		assertThat(this.progress.unfinished()).hasSameSizeAs(unfinished);
		this.progress.finish(next - 1);
		unfinished.remove(next - 1);
		readAgain(next, next, unfinished);
		begun.forEach(this.progress::finish);
		assertThat(committable()).isEqualTo(next);
	}

	private long committable() {
		return this.progress.committable().offset();
	}

	/** A next reader goes on from the commit, up to an offset. */
	private void readAgain(long end, long next, Set<Long> unfinished) {
		OffsetAndMetadata commit = this.progress.committable();
		FinishedOffsets committed = FinishedOffsets.parse(commit.offset(), commit.metadata());
		assertThat(committed.contains(next)).isFalse();
		this.progress = new PartitionProgress<>(committed);
		for (long offset = commit.offset(); offset < end; offset++) {
			boolean finished = this.progress.skipIfFinished(offset);
			assertThat(finished).as("%s", offset).isEqualTo(!unfinished.contains(offset));
			if (!finished) {
				begin(offset);
			}
		}
	}

	private void begin(long... offsets) {
		for (long offset : offsets) {
			this.progress.begin(offset, "work-" + offset);
		}
	}

}
