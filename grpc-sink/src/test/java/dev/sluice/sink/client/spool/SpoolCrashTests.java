package dev.sluice.sink.client.spool;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;

import com.google.protobuf.ByteString;
import dev.sluice.sink.client.spool.Spool.Entry;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.util.FileSystemUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compares a spool with a model: messages are appended, settled, refused and discarded at
 * random, then the power fails or the process is killed, and the spool continues with
 * files as the crash may have left them, several times.
 */
class SpoolCrashTests {

	private static final int SEEDS = Integer.getInteger("sluice.seeds", 25);

	private static final int CRASHES = 4;

	private static final int STEPS = 60;

	private static final int SEGMENT_BYTES = 12_000;

	@TempDir
	private Path directory;

	/** The expected state of a message. */
	private static final class Known {

		private final byte[] payload;

		/** Number of disk operations after which it must, and must not, be found. */
		private int promisedAfter = Integer.MAX_VALUE;

		private int goneAfter = Integer.MAX_VALUE;

		/** Whether the sink has it, or refused it and it was discarded. */
		private boolean done;

		Known(byte[] payload) {
			this.payload = payload;
		}

	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void losesNothingThatWasPromisedAndRevivesNothingThatWasSettled(boolean force) throws Exception {
		for (int seed = 0; seed < SEEDS; seed++) {
			Random random = new Random(seed);
			Map<String, Known> model = new LinkedHashMap<>();
			Path path = this.directory.resolve("%b-%s-0".formatted(force, seed));
			for (int crash = 0; crash < CRASHES; crash++) {
				RecordingDisk disk = new RecordingDisk(path);
				int opened;
				try (FileSpool spool = new FileSpool(path, 10_000_000, force, SEGMENT_BYTES, disk)) {
					opened = disk.operations();
					check("seed %s, crash %s".formatted(seed, crash), spool, model);
					work(spool, disk, random, model, "%s-".formatted(crash));
				}
				int after = opened + random.nextInt(disk.operations() - opened + 1);
				Path next = this.directory.resolve("%b-%s-%s".formatted(force, seed, crash + 1));
				if (force) {
					disk.cutPower(after, random, next);
				}
				else {
					disk.kill(after, next);
				}
				crashed(model, after);
				FileSystemUtils.deleteRecursively(path);
				path = next;
			}
		}
	}

	private static void work(FileSpool spool, RecordingDisk disk, Random random, Map<String, Known> model,
			String prefix) throws InterruptedException {
		long sent = -1;
		List<Entry> inFlight = new ArrayList<>();
		List<Known> settledBefore = new ArrayList<>();
		for (int step = 0; step < STEPS; step++) {
			switch (random.nextInt(5)) {
				case 0, 1 -> {
					List<Known> settled = List.copyOf(settledBefore);
					List<Message> messages = new ArrayList<>();
					for (int i = random.nextInt(4); i >= 0; i--) {
						byte[] payload = new byte[random.nextInt((random.nextInt(5) == 0) ? 9_000 : 400)];
						random.nextBytes(payload);
						String id = prefix + step + "-" + i;
						model.put(id, new Known(payload));
						messages.add(new Message(ByteString.copyFromUtf8(id), payload));
					}
					spool.append(messages);
					int now = disk.operations();
					messages.forEach((message) -> model.get(id(message.id())).promisedAfter = now);
					// Messages settled before are in the same commit or an earlier one.
					settled.forEach((known) -> known.goneAfter = Math.min(known.goneAfter, now));
				}
				case 2, 3 -> {
					Entry entry = spool.next(sent);
					if (entry != null) {
						sent = entry.number();
						inFlight.add(entry);
					}
				}
				default -> {
					while (!inFlight.isEmpty() && random.nextInt(4) > 0) {
						Entry entry = inFlight.remove(random.nextInt(Math.min(3, inFlight.size())));
						Known known = model.get(id(entry.id()));
						known.done = true;
						spool.settle(List.of(entry.number()));
						settledBefore.add(known);
					}
				}
			}
		}
	}

	/** Undoes in the model what happened after the crash. */
	private static void crashed(Map<String, Known> model, int after) {
		for (Known known : model.values()) {
			known.promisedAfter = (known.promisedAfter <= after) ? 0 : Integer.MAX_VALUE;
			known.goneAfter = (known.goneAfter <= after) ? 0 : Integer.MAX_VALUE;
		}
	}

	private static void check(String when, FileSpool spool, Map<String, Known> model) {
		Set<String> found = new LinkedHashSet<>();
		for (Entry entry : Spools.entries(spool)) {
			String id = id(entry.id());
			assertThat(found.add(id)).as("%s: %s once", when, id).isTrue();
			assertThat(model.containsKey(id)).as("%s: %s is known", when, id).isTrue();
			assertThat(entry.payload()).as("%s: %s", when, id).isEqualTo(model.get(id).payload);
		}
		assertThat(found).as("%s: in the order in which they were appended", when)
			.containsExactlyElementsOf(model.keySet().stream().filter(found::contains).toList());
		assertThat(spool.damaged()).as(when).isZero();
		model.forEach((id, known) -> {
			if (known.promisedAfter == 0 && !known.done) {
				assertThat(found).as("%s: promised", when).contains(id);
			}
			if (known.goneAfter == 0) {
				assertThat(found).as("%s: settled", when).doesNotContain(id);
			}
		});
		// Messages not found now were never promised or are settled, and stay so.
		model.keySet().retainAll(found);
		model.values().forEach((known) -> {
			known.promisedAfter = 0;
			known.goneAfter = Integer.MAX_VALUE;
			known.done = false;
		});
	}

	private static String id(ByteString id) {
		return id.toStringUtf8();
	}

}
