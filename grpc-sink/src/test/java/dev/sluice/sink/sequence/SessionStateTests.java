package dev.sluice.sink.sequence;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;

import dev.sluice.sink.sequence.SessionState.Verdict;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class SessionStateTests {

	private final SessionState state = new SessionState();

	@Test
	void knowsARepeatHoweverLongAgoItWas() {
		for (long sequence = 1; sequence <= 1_000_000; sequence++) {
			this.state.offer(sequence, 1);
		}

		assertThat(this.state.offer(1, 1)).isEqualTo(Verdict.REPEAT);
		assertThat(this.state.offer(1_000_001, 1)).isEqualTo(Verdict.NEW);
		assertThat(this.state.encode()).as("one range and the checksums").hasSizeLessThan(2_200);
	}

	@Test
	void aSessionMayBeginBeforeWhatHasComeOfIt() {
		this.state.offer(5, 1);

		this.state.settledBelow(3);

		assertThat(this.state.offer(2, 1)).as("nothing new comes below").isEqualTo(Verdict.REPEAT);
		assertThat(this.state.offer(3, 1)).isEqualTo(Verdict.NEW);
		assertThat(this.state.offer(4, 1)).isEqualTo(Verdict.NEW);
		assertThat(this.state.end()).isEqualTo(6);
	}

	@Test
	void aSessionBeginsNoLaterThanWhatHasComeOfIt() {
		this.state.offer(5, 1);

		this.state.settledBelow(100);

		assertThat(this.state.offer(4, 1)).isEqualTo(Verdict.REPEAT);
		assertThat(this.state.offer(6, 1)).as("it has come late").isEqualTo(Verdict.NEW);
	}

	@Test
	void whatTouchesARangeNeedsNoRoom() {
		this.state.settledBelow(1);
		fill(10, 3);
		assertThat(this.state.offer(1_000, 1)).isEqualTo(Verdict.TOO_MANY_GAPS);

		assertThat(this.state.offer(12, 1)).as("before one").isEqualTo(Verdict.NEW);
		assertThat(this.state.offer(17, 1)).as("behind one").isEqualTo(Verdict.NEW);
		assertThat(this.state.offer(1_000, 1)).as("no range more, and none less").isEqualTo(Verdict.TOO_MANY_GAPS);
	}

	@Test
	void closesNoMoreGapsThanItNeedsTo() {
		this.state.settledBelow(1);
		fill(10, 3);
		this.state.settledBelow(14);

		assertThat(this.state.offer(1_000, 1)).as("in the place of the lowest gap").isEqualTo(Verdict.NEW);

		assertThat(this.state.offer(9, 1)).as("of the lowest gap").isEqualTo(Verdict.REPEAT);
		assertThat(this.state.offer(11, 1)).as("of the next gap").isEqualTo(Verdict.NEW);
	}

	/** As many ranges as there may be, with one before them. */
	private void fill(long from, int distance) {
		for (int i = 0; i < SessionState.RANGES - 1; i++) {
			assertThat(this.state.offer(from + (long) distance * i, 1)).isEqualTo(Verdict.NEW);
		}
	}

	@Test
	void hasNoMoreGapsThanItsBoundAndAlwaysRoomForTheOldestMessage() {
		this.state.settledBelow(10);
		long sequence = 10;
		while (this.state.offer(sequence, 1) == Verdict.NEW) {
			sequence += 2;
		}
		assertThat(this.state.offer(sequence, 1)).isEqualTo(Verdict.TOO_MANY_GAPS);

		// 11 was refused, and is settled by the client.
		this.state.settledBelow(13);
		assertThat(this.state.offer(sequence, 1)).isEqualTo(Verdict.NEW);
		assertThat(this.state.offer(13, 1)).isEqualTo(Verdict.NEW);
		assertThat(this.state.encode().length).isLessThanOrEqualTo(SessionState.MAX_ENCODED_BYTES);
	}

	@Test
	void isNoLongerThanItSaysWhateverTheSequences() {
		long sequence = 1L << 40;
		for (int i = 0; i < 1_000; i++) {
			this.state.offer(sequence, i);
			sequence += (i % 20 == 0) ? 1L << 56 : 1;
		}

		byte[] encoded = this.state.encode();

		assertThat(encoded.length).isLessThanOrEqualTo(SessionState.MAX_ENCODED_BYTES);
		assertThat(SessionState.decode(encoded).encode()).isEqualTo(encoded);
	}

	@Test
	void readsNothingElse() {
		assertThatIllegalArgumentException().isThrownBy(() -> SessionState.decode(new byte[] { 9, 0 }));
		assertThatIllegalArgumentException().isThrownBy(() -> SessionState.decode(new byte[] { 1, 5, 1 }));
		assertThatIllegalArgumentException().isThrownBy(() -> SessionState.decode(new byte[0]));
	}

	/** Compares with a map of all stored messages. */
	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3, 4, 5, 6, 7, 8 })
	void saysWhatAMapOfAllWouldSayInAnyOrderAndOverRestarts(long seed) {
		Random random = new Random(seed);
		Map<Long, Integer> stored = new HashMap<>();
		SessionState tested = new SessionState();
		long begin = 1 + random.nextInt(100);
		tested.settledBelow(begin);
		long next = begin;
		for (int step = 0; step < 20_000; step++) {
			// Near the newest, as a client with a window sends.
			long sequence = Math.max(begin, next - random.nextInt(random.nextInt(10) == 0 ? 400 : 5));
			next = Math.max(next, sequence + 1 + ((random.nextInt(50) == 0) ? 1 : 0));
			int checksum = (random.nextInt(20) == 0) ? random.nextInt() : (int) sequence * 31;
			Integer known = stored.get(sequence);
			Verdict verdict = tested.offer(sequence, checksum);
			if (verdict == Verdict.TOO_MANY_GAPS) {
				assertThat(known).isNull();
				long oldest = begin;
				while (stored.containsKey(oldest)) {
					oldest++;
				}
				tested.settledBelow(oldest);
				assertThat(tested.offer(oldest, 0)).as("the oldest").isEqualTo(Verdict.NEW);
				stored.put(oldest, 0);
			}
			else if (known == null) {
				assertThat(verdict).isEqualTo(Verdict.NEW);
				stored.put(sequence, checksum);
			}
			else {
				assertThat(verdict).isEqualTo((known == checksum) ? Verdict.REPEAT : Verdict.DIFFERENT);
			}
			if (random.nextInt(500) == 0) {
				tested = SessionState.decode(tested.encode());
			}
		}
	}

}
