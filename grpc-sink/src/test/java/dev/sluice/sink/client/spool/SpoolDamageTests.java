package dev.sluice.sink.client.spool;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;

import dev.sluice.sink.Fuzz;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.util.FileSystemUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Damages a spool with several segments at every position, one at a time, and at random:
 * all intact messages are delivered, and lost ones are counted.
 */
class SpoolDamageTests {

	private static final int BLOCK = 4_096;

	@TempDir
	private Path directory;

	private int segmentBytes = 20_000;

	private Path closed;

	private Path crashed;

	private final TreeMap<Long, byte[]> appended = new TreeMap<>();

	@BeforeEach
	void fill() throws Exception {
		fill(new Random(1));
	}

	private void fill(Random random) throws Exception {
		this.closed = this.directory.resolve("closed");
		this.crashed = this.directory.resolve("crashed");
		try (FileSpool spool = open(this.closed)) {
			for (int i = 0; i < 60; i++) {
				byte[] payload = payload(i, random);
				long number = Spools.append(spool, null, payload).number();
				if (i == 1) {
					spool.settle(List.of(number));
				}
				else {
					this.appended.put(number, payload);
				}
			}
			FileSystemUtils.copyRecursively(this.closed, this.crashed);
		}
		assertThat(Spools.segments(this.closed)).hasSizeGreaterThan(2);
	}

	/** Random bytes, or now and then a part of the spool. */
	private byte[] payload(int number, Random random) throws IOException {
		byte[] payload = new byte[(number % 5 == 0) ? random.nextInt(12_000) : random.nextInt(300)];
		random.nextBytes(payload);
		if (number % 3 == 2) {
			byte[] segment = Files.readAllBytes(Spools.segments(this.closed).getLast());
			System.arraycopy(segment, 0, payload, 0, Math.min(segment.length, payload.length));
		}
		return payload;
	}

	@ParameterizedTest
	@ValueSource(strings = { "closed", "crashed" })
	void deliversEverythingWholeWhateverBlockIsDamaged(String spool) throws Exception {
		for (Path segment : lastTwo(spool)) {
			for (int block = 0; block < Files.size(segment); block += BLOCK) {
				int from = block;
				UnaryOperator<byte[]> zeroed = (content) -> {
					Arrays.fill(content, from, Math.min(content.length, from + BLOCK), (byte) 0);
					return content;
				};
				check(segment, "zeroed at " + from, zeroed);
				check(segment, "flipped at " + from, (content) -> {
					content[from] ^= 1;
					return content;
				});
				FaultyDisk disk = new FaultyDisk();
				disk.bad = (file, begin, end) -> file.endsWith(segment.getFileName()) && begin < from + BLOCK
						&& end > from && from < file.toFile().length();
				check(segment, "unreadable at " + from, zeroed, disk);
			}
		}
	}

	@Test
	void readsAgainWhatADiskThatIsGoneHad() throws Exception {
		FaultyDisk disk = new FaultyDisk();
		try (FileSpool spool = new FileSpool(this.closed, 10_000_000, false, this.segmentBytes, disk)) {
			disk.bad = (_, _, _) -> true;
			assertThatExceptionOfType(SpoolFailedException.class).isThrownBy(() -> spool.next(-1))
				.withMessageContaining("cannot be read now");

			disk.bad = (_, _, _) -> false;
			assertThat(Spools.payloads(spool)).hasSameSizeAs(this.appended);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "closed", "crashed" })
	void deliversEverythingWholeWhereverASegmentIsCutOffOrABoundaryFlipped(String spool) throws Exception {
		for (Path segment : lastTwo(spool)) {
			Set<Integer> lengths = new TreeSet<>(boundaries(segment));
			for (int at : lengths) {
				if (at < Files.size(segment)) {
					check(segment, "flipped at " + at, (content) -> {
						content[at] ^= 0x10;
						return content;
					});
				}
			}
			for (int block = 0; block < Files.size(segment); block += BLOCK) {
				lengths.add(block);
			}
			for (int length : lengths) {
				check(segment, "cut at " + length, (content) -> Arrays.copyOf(content, length));
			}
		}
	}

	/** Of such damage not all is noticed. */
	@Test
	void deliversWhatIsWholeAndNothingElseAndGoesOnWhateverIsDamaged() {
		Fuzz.run(150, (random) -> {
			FileSystemUtils.deleteRecursively(this.closed);
			FileSystemUtils.deleteRecursively(this.crashed);
			this.appended.clear();
			this.segmentBytes = 500 + random.nextInt(20_000);
			fill(random);
			List<Path> segments = Spools.segments(random.nextBoolean() ? this.closed : this.crashed);
			Path segment = segments.get(random.nextInt(segments.size()));
			Path copy = this.directory.resolve("copy");
			FileSystemUtils.copyRecursively(segment.getParent(), copy);
			byte[] damaged = Fuzz.mutated(Files.readAllBytes(segment), random);
			Files.write(copy.resolve(segment.getFileName()), damaged);
			Set<Long> whole = new TreeSet<>(this.appended.keySet());
			whole.removeAll(Spools.damaged(segment, damaged));

			try (FileSpool spool = open(copy)) {
				TreeMap<Long, byte[]> found = Spools.payloads(spool);
				assertThat(found.keySet()).containsAll(whole);
				found.keySet().retainAll(this.appended.keySet());
				found.forEach((number, payload) -> assertThat(payload).isEqualTo(this.appended.get(number)));
				long number = Spools.append(spool, null, new byte[1]).number();
				assertThat(found.keySet()).doesNotContain(number);
				spool.settle(Spools.payloads(spool).keySet());
			}
			try (FileSpool spool = open(copy)) {
				assertThat(Spools.payloads(spool)).isEmpty();
			}
			FileSystemUtils.deleteRecursively(copy);
		});
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void deliversTheRestWhenASegmentIsMissing(boolean whileOpen) throws Exception {
		Path segment = Spools.segments(this.closed).get(1);
		List<Long> of = Spools.damaged(segment, new byte[0]);
		if (!whileOpen) {
			Files.delete(segment);
		}

		try (FileSpool spool = open(this.closed)) {
			Files.deleteIfExists(segment);

			assertThat(Spools.payloads(spool).keySet()).hasSize(this.appended.size() - of.size())
				.doesNotContainAnyElementsOf(of);
			assertThat(spool.damaged()).isEqualTo(of.size());
		}
	}

	/** Of a segment that could not begin, nor be deleted. */
	@ParameterizedTest
	@ValueSource(strings = { "0000000000000000", "ffffffffffffffff" })
	void deliversEverythingBesideAnEmptyFileWithTheSameFirstNumber(String salt) throws Exception {
		Path segment = Spools.segments(this.closed).get(1);
		Files.createFile(segment
			.resolveSibling(segment.getFileName().toString().replaceFirst("-\\p{XDigit}{16}-", "-" + salt + "-")));

		try (FileSpool spool = open(this.closed)) {
			assertThat(Spools.payloads(spool).keySet()).isEqualTo(this.appended.keySet());
		}
	}

	@Test
	void countsWhatIsDamagedOnceAndGivesItsRoomBack() throws Exception {
		Path segment = Spools.segments(this.closed).get(1);
		byte[] content = Files.readAllBytes(segment);
		Arrays.fill(content, 0, content.length, (byte) 0);
		Files.write(segment, content);

		try (FileSpool spool = open(this.closed)) {
			int whole = Spools.payloads(spool).size();
			assertThat(spool.damaged()).isEqualTo(this.appended.size() - whole);
			assertThat(spool.size()).isEqualTo(whole);
		}
		try (FileSpool spool = open(this.closed)) {
			Spools.payloads(spool);
			assertThat(spool.damaged()).isZero();
			spool.settle(this.appended.keySet());
		}
		assertThat(Spools.segments(this.closed)).isEmpty();
	}

	private List<Path> lastTwo(String spool) throws IOException {
		List<Path> segments = Spools.segments(this.directory.resolve(spool));
		return segments.subList(segments.size() - 2, segments.size());
	}

	/** The positions of records, and one byte before and after each. */
	private static List<Integer> boundaries(Path segment) throws IOException {
		List<Integer> boundaries = new ArrayList<>();
		Spools.records(segment)
			.forEach((record) -> boundaries
				.addAll(List.of((int) record.from() - 1, (int) record.from(), (int) record.from() + 1)));
		boundaries.removeIf((at) -> at < 0);
		return boundaries;
	}

	private void check(Path segment, String what, UnaryOperator<byte[]> damage) throws Exception {
		check(segment, what, damage, null);
	}

	/**
	 * Opens a damaged copy, or an intact one on a disk that damages what is read.
	 */
	private void check(Path segment, String what, UnaryOperator<byte[]> damage, @Nullable Disk disk) throws Exception {
		Path copy = this.directory.resolve("copy");
		FileSystemUtils.copyRecursively(segment.getParent(), copy);
		byte[] damaged = damage.apply(Files.readAllBytes(segment));
		if (disk == null) {
			Files.write(copy.resolve(segment.getFileName()), damaged);
		}
		List<Long> lost = Spools.damaged(segment, damaged);
		lost.retainAll(this.appended.keySet());
		try (FileSpool spool = new FileSpool(copy, 10_000_000, false, this.segmentBytes,
				(disk != null) ? disk : FileChannel::open)) {
			TreeMap<Long, byte[]> found = Spools.payloads(spool);
			String where = "%s %s".formatted(segment.getFileName(), what);
			TreeMap<Long, byte[]> expected = new TreeMap<>(this.appended);
			lost.forEach(expected::remove);
			found.keySet().retainAll(this.appended.keySet());
			assertThat(found.keySet()).as(where).isEqualTo(expected.keySet());
			found.forEach((number, payload) -> assertThat(payload).as(where).isEqualTo(this.appended.get(number)));
			// Damage at the end of the last file cannot be noticed.
			boolean last = segment.equals(Spools.segments(segment.getParent()).getLast());
			if (!last || lost.stream().allMatch((number) -> number < found.lastKey() - 1)) {
				assertThat(spool.damaged()).as(where).isEqualTo(lost.size());
			}
			assertThat(Spools.append(spool, null, new byte[1]).number()).as(where).isGreaterThan(found.lastKey());
		}
		FileSystemUtils.deleteRecursively(copy);
	}

	private FileSpool open(Path path) {
		return new FileSpool(path, 10_000_000, false, this.segmentBytes, FileChannel::open);
	}

}
