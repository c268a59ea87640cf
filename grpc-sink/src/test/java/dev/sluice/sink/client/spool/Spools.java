package dev.sluice.sink.client.spool;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;

import com.google.protobuf.ByteString;
import org.jspecify.annotations.Nullable;

import dev.sluice.sink.client.spool.Spool.Entry;

/**
 * Lists the entries of a spool. Copies, measures and deletes a spool's directory, also
 * while it is open.
 */
final class Spools {

	private Spools() {
	}

	static Entry append(Spool spool, @Nullable ByteString id, byte[] payload) throws InterruptedException {
		return spool.append(List.of(new Message(id, payload))).getFirst();
	}

	/** All unsettled entries, in order. */
	static List<Entry> entries(Spool spool) {
		List<Entry> entries = new ArrayList<>();
		Entry entry = spool.next(-1);
		while (entry != null) {
			entries.add(entry);
			entry = spool.next(entry.number());
		}
		return entries;
	}

	/** The payloads of all unsettled entries, by number. */
	static TreeMap<Long, byte[]> payloads(Spool spool) {
		TreeMap<Long, byte[]> payloads = new TreeMap<>();
		for (Entry entry : entries(spool)) {
			if (payloads.put(entry.number(), entry.payload()) != null) {
				throw new AssertionError("Number " + entry.number() + " comes twice");
			}
		}
		return payloads;
	}

	static void copy(Path from, Path to) throws IOException {
		for (Path path : paths(from)) {
			Path copy = to.resolve(from.relativize(path).toString());
			if (Files.isDirectory(path)) {
				Files.createDirectories(copy);
			}
			else {
				Files.copy(path, copy);
			}
		}
	}

	static void delete(Path directory) throws IOException {
		for (Path path : paths(directory).reversed()) {
			Files.delete(path);
		}
	}

	/** Total size of its files. */
	static long bytes(Path directory) throws IOException {
		long bytes = 0;
		for (Path path : paths(directory)) {
			bytes += Files.isRegularFile(path) ? Files.size(path) : 0;
		}
		return bytes;
	}

	/** Segments of messages, in order. */
	static List<Path> segments(Path spool) throws IOException {
		try (Stream<Path> files = Files.list(spool)) {
			return files.filter((file) -> file.toString().endsWith(".segment")).sorted().toList();
		}
	}

	/**
	 * The numbers of a segment's messages whose bytes are not all in this content, at
	 * their positions.
	 */
	static List<Long> damaged(Path segment, byte[] content) throws IOException {
		List<Long> numbers = new ArrayList<>();
		byte[] original = Files.readAllBytes(segment);
		try (FileChannel channel = FileChannel.open(segment)) {
			SegmentReader reader = new SegmentReader(channel, Segment.named(segment).salt);
			while (reader.skim() instanceof SegmentReader.Whole whole) {
				int from = (int) whole.from();
				int to = (int) whole.end();
				if (whole.numbered()
						&& (to > content.length || !Arrays.equals(original, from, to, content, from, to))) {
					numbers.add(whole.number());
				}
			}
		}
		return numbers;
	}

	private static List<Path> paths(Path directory) throws IOException {
		try (Stream<Path> paths = Files.walk(directory)) {
			return paths.sorted(Comparator.naturalOrder()).toList();
		}
	}

}
