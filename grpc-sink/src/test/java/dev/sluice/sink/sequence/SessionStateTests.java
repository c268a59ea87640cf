package dev.sluice.sink.sequence;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;

import dev.sluice.sink.Script;
import dev.sluice.sink.sequence.SessionState.Verdict;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
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

	/**
	 * An offer is a sequence and a verdict; {@code fill} leaves room for no range more.
	 */
	@ParameterizedTest(name = "{0}")
	@MethodSource
	void follows(String what, String steps) {
		new Script()
			.word("offer",
					(of) -> assertThat(this.state.offer(Long.parseLong(of.getFirst()), 1))
						.isEqualTo(Verdict.valueOf(of.getLast())))
			.word("settled-below", (sequence) -> this.state.settledBelow(Long.parseLong(sequence.getFirst())))
			.word("fill", (_) -> {
				for (int i = 0; i < SessionState.RANGES - 1; i++) {
					assertThat(this.state.offer(10 + 3L * i, 1)).isEqualTo(Verdict.NEW);
				}
			})
			.is(() -> "end=" + this.state.end())
			.play(steps);
	}

	static Stream<Arguments> follows() {
		return Script.scenarios("""
				may begin before what has come of it, and nothing new comes below
					offer 5 NEW; settled-below 3; offer 2 REPEAT; offer 3 NEW; offer 4 NEW; is end=6
				begins no later than what has come of it
					offer 5 NEW; settled-below 100; offer 4 REPEAT; offer 6 NEW
				what touches a range, before or behind it, needs no room
					settled-below 1; fill; offer 1000 TOO_MANY_GAPS; offer 12 NEW; offer 17 NEW
					offer 1000 TOO_MANY_GAPS
				closes no more gaps than it needs to, the lowest first
					settled-below 1; fill; settled-below 14; offer 1000 NEW; offer 9 REPEAT; offer 11 NEW
				""");
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
