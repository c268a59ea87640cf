package dev.sluice.sink.client.spool;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import dev.sluice.sink.Fuzz;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Spools with random content and random damage: each message is delivered as it was sent
 * or not at all, undamaged ones are delivered, and the spool continues to work.
 */
class SpoolFuzzTests {

	private static final int ROUNDS = 150;

	@TempDir
	private Path directory;

	private int round;

	@Test
	void deliversWhatIsWholeAndNothingElse() {
		Fuzz.run(ROUNDS, this::check);
	}

	private void check(Random random) throws Exception {
		Path spool = this.directory.resolve("spool-" + this.round++);
		int segmentBytes = 500 + random.nextInt(20_000);
		Map<Long, byte[]> appended = new TreeMap<>();
		Set<Long> settled = new TreeSet<>();
		try (FileSpool open = open(spool, segmentBytes)) {
			for (int i = 1 + random.nextInt(60); i > 0; i--) {
				if (random.nextInt(4) == 0 && !appended.isEmpty()) {
					List<Long> some = appended.keySet().stream().filter((_) -> random.nextInt(5) == 0).toList();
					open.settle(some);
					settled.addAll(some);
				}
				byte[] payload = payload(random, spool);
				appended.put(Spools.append(open, null, payload).number(), payload);
			}
		}
		Set<Long> whole = new TreeSet<>(appended.keySet());
		whole.removeAll(damage(spool, random));
		whole.removeAll(settled);

		try (FileSpool open = open(spool, segmentBytes)) {
			Map<Long, byte[]> found = Spools.payloads(open);
			assertThat(found.keySet()).containsAll(whole);
			found.forEach(
					(number, payload) -> assertThat(payload).as("message %s", number).isEqualTo(appended.get(number)));
			byte[] last = { 1, 2, 3 };
			long number = Spools.append(open, null, last).number();
			assertThat(found).doesNotContainKey(number);
			assertThat(Spools.payloads(open).get(number)).isEqualTo(last);
			open.settle(Spools.payloads(open).keySet());
		}
		try (FileSpool open = open(spool, segmentBytes)) {
			assertThat(Spools.payloads(open)).isEmpty();
		}
		Spools.delete(spool);
	}

	/** Random bytes, or bytes that look like a part of the spool. */
	private static byte[] payload(Random random, Path spool) throws IOException {
		byte[] payload = new byte[random.nextInt((random.nextInt(5) == 0) ? 12_000 : 300)];
		List<Path> segments = Spools.segments(spool);
		random.nextBytes(payload);
		if (random.nextInt(3) > 0 || segments.isEmpty()) {
			return payload;
		}
		try {
			byte[] segment = Files.readAllBytes(segments.getLast());
			if (segment.length == 0) {
				// The file is being created.
				return payload;
			}
			int from = random.nextInt(segment.length);
			return Arrays.copyOfRange(segment, from, Math.min(segment.length, from + payload.length));
		}
		catch (NoSuchFileException _) {
			// All its messages are settled.
			return payload;
		}
	}

	/** Returns the messages whose bytes were changed. */
	private static Set<Long> damage(Path spool, Random random) throws IOException {
		Set<Long> hit = new TreeSet<>();
		List<Path> segments = Spools.segments(spool);
		for (int times = 1 + random.nextInt(2); times > 0 && !segments.isEmpty(); times--) {
			Path segment = segments.get(random.nextInt(segments.size()));
			if (!Files.exists(segment)) {
				continue;
			}
			if (random.nextInt(10) == 0) {
				hit.addAll(Spools.damaged(segment, new byte[0]));
				Files.delete(segment);
				continue;
			}
			byte[] after = Fuzz.mutated(Files.readAllBytes(segment), random);
			hit.addAll(Spools.damaged(segment, after));
			Files.write(segment, after);
		}
		return hit;
	}

	private static FileSpool open(Path path, int segmentBytes) {
		return new FileSpool(path, 10_000_000, false, segmentBytes, FileChannel::open);
	}

}
