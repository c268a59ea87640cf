package dev.sluice.consumer.offsets;

import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class FinishedOffsetsTests {

	/** A broker accepts 4,096 bytes by default, and the topic's id needs some of them. */
	private static final int MAX_LENGTH = 4_000;

	@Test
	void readsWhatWasWritten() {
		FinishedOffsets.Text text = new FinishedOffsets.Text(100);
		text.add(101, 140);
		text.add(1_000_000_000_000L, 1_000_000_000_001L);

		FinishedOffsets runs = FinishedOffsets.parse(100, text.toString());

		assertThat(text).hasToString("finished-1:1,13,cre66i5w,1");
		assertThat(runs.contains(100)).isFalse();
		assertThat(runs.contains(101)).isTrue();
		assertThat(runs.contains(139)).isTrue();
		assertThat(runs.contains(140)).isFalse();
		assertThat(runs.contains(1_000_000_000_000L)).isTrue();
		assertThat(runs.contains(1_000_000_000_001L)).isFalse();
	}

	@Test
	void leavesOutWhatABrokerWouldNotTake() {
		FinishedOffsets.Text text = new FinishedOffsets.Text(0);
		for (long offset = 1; offset < 10_000; offset += 2) {
			text.add(offset, offset + 1);
		}

		FinishedOffsets runs = FinishedOffsets.parse(0, text.toString());

		assertThat(text.toString().getBytes(StandardCharsets.UTF_8)).hasSizeBetween(3_900, MAX_LENGTH);
		assertThat(runs.contains(1)).isTrue();
		assertThat(runs.contains(9_999)).isFalse();
	}

	@ParameterizedTest
	@NullSource
	@ValueSource(strings = { "", "somebody else's", "finished-2:1,1", "finished-1:", "finished-1:1,", "finished-1:-1,5",
			"finished-1:1,0", "finished-1:5,3w5e11264sgsf", "finished-1:1,zzzzzzzzzzzzzzzzzzzz", "finished-1:1.5,1" })
	void takesNothingFromWhatItCannotRead(String metadata) {
		FinishedOffsets runs = FinishedOffsets.parse(0, metadata);

		assertThat(runs.contains(0)).isFalse();
		assertThat(runs.contains(1)).isFalse();
	}

}
