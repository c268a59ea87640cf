package dev.sluice.sink.client.spool;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import dev.sluice.sink.client.spool.Spool.Entry;

/**
 * Measures the time from the opening of a spool of many GB to its first message, and the
 * memory. Not a test: {@code fill} a directory first, then {@code open} it with a small
 * heap.
 */
final class LargeSpool {

	private static final int PAYLOAD_BYTES = 29_000;

	private static final int TOGETHER = 100;

	private LargeSpool() {
	}

	/** Arguments: {@code fill} or {@code open}, the directory, and the size in GB. */
	public static void main(String[] args) throws Exception {
		Path directory = Path.of(args[1]);
		long bytes = Long.parseLong(args[2]) * 1_000_000_000;
		long start = System.nanoTime();
		try (FileSpool spool = new FileSpool(directory, 2 * bytes, false)) {
			if (args[0].equals("fill")) {
				fill(spool, bytes);
			}
			else {
				System.out.printf("open after %s ms: %,d messages, %,d bytes%n", millis(start), spool.size(),
						spool.bytes());
				Entry first = spool.next(-1);
				System.out.printf("first message after %s ms%n", millis(start));
				drain(spool, first);
				System.out.printf("drained after %s ms, %,d MB of heap%n", millis(start),
						Runtime.getRuntime().totalMemory() / 1_000_000);
			}
		}
	}

	private static void fill(FileSpool spool, long bytes) throws InterruptedException {
		byte[] payload = new byte[PAYLOAD_BYTES];
		new Random(1).nextBytes(payload);
		List<Message> together = new ArrayList<>();
		for (int i = 0; i < TOGETHER; i++) {
			together.add(new Message(null, payload));
		}
		while (spool.bytes() < bytes) {
			spool.append(together);
		}
	}

	private static void drain(FileSpool spool, Entry first) {
		Entry entry = first;
		while (entry != null) {
			spool.settle(List.of(entry.number()));
			entry = spool.next(entry.number());
		}
	}

	private static long millis(long start) {
		return Duration.ofNanos(System.nanoTime() - start).toMillis();
	}

}
