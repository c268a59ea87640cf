package dev.sluice.sink.client.spool;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import dev.sluice.sink.client.spool.Spool.Entry;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class MemorySpoolTests {

	private final MemorySpool spool = new MemorySpool(1_000_000);

	@Test
	void theFirstUnsettledMessageIsKnownInWhateverOrderTheyAreSettled() {
		append(1_000);
		List<Long> numbers = new ArrayList<>(LongStream.range(0, 1_000).boxed().toList());
		Collections.shuffle(numbers, new Random(1));

		for (int settled = 1; settled <= 1_000; settled++) {
			this.spool.settle(List.of(numbers.get(settled - 1)));
			List<Long> left = numbers.subList(settled, 1_000);
			assertThat(this.spool.firstUnsettled()).isEqualTo(left.isEmpty() ? 1_000L : (long) Collections.min(left));
		}
		append(1);
		assertThat(this.spool.firstUnsettled()).isEqualTo(1_000);
		assertThat(numbers()).containsExactly(1_000L);
	}

	@Test
	void settlingTwiceCountsOnce() {
		append(2);

		this.spool.settle(List.of(0L, 0L));
		this.spool.settle(List.of(0L, 7L));

		assertThat(this.spool.size()).isEqualTo(1);
		assertThat(this.spool.bytes()).isEqualTo(bytesOf(1));
	}

	@Test
	void theOldestMessageIsTheFirstThatIsNotSettled() {
		assertThat(this.spool.oldest()).isNull();
		append(300);
		this.spool.settle(LongStream.range(0, 299).boxed().toList());

		assertThat(this.spool.oldest()).isEqualTo(this.spool.next(-1).appendedAt()).isPositive();
		this.spool.settle(List.of(299L));
		assertThat(this.spool.oldest()).isNull();
	}

	@Test
	void threadsAppendWhileAnotherSettles() throws Exception {
		int threads = 3;
		int each = 20_000;
		MemorySpool shared = new MemorySpool(bytesOf(2_000));
		List<CompletableFuture<Void>> appending = IntStream.range(0, threads)
			.mapToObj((_) -> CompletableFuture.runAsync(() -> appendOneByOne(shared, each)))
			.toList();
		Random random = new Random(1);
		List<Long> inFlight = new ArrayList<>();
		long last = -1;
		long seen = 0;

		while (seen < (long) threads * each || !inFlight.isEmpty()) {
			Entry next = shared.next(last);
			if (next != null) {
				assertThat(next.number()).as("none is skipped").isEqualTo(last + 1);
				last = next.number();
				inFlight.add(last);
				seen++;
			}
			if (!inFlight.isEmpty() && (next == null || inFlight.size() > 500)) {
				int at = random.nextInt(inFlight.size());
				Collections.swap(inFlight, at, inFlight.size() - 1);
				shared.settle(List.of(inFlight.removeLast()));
			}
		}

		for (CompletableFuture<Void> one : appending) {
			one.get();
		}
		assertThat(shared.size()).isZero();
		assertThat(shared.bytes()).isZero();
		assertThat(shared.firstUnsettled()).isEqualTo(seen);
	}

	private static void appendOneByOne(MemorySpool spool, int count) {
		int appended = 0;
		while (appended < count) {
			try {
				spool.append(messages(1));
				appended++;
			}
			catch (SpoolFullException _) {
				Thread.yield();
			}
		}
	}

	private void append(int count) {
		this.spool.append(messages(count));
	}

	private static List<Message> messages(int count) {
		return IntStream.range(0, count).mapToObj((_) -> new Message(null, new byte[1])).toList();
	}

	private static long bytesOf(int count) {
		return Entry.bytes(messages(count));
	}

	private List<Long> numbers() {
		return Spools.entries(this.spool).stream().map(Entry::number).toList();
	}

}
