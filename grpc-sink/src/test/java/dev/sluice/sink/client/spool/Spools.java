package dev.sluice.sink.client.spool;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;

import com.google.protobuf.ByteString;
import org.jspecify.annotations.Nullable;

import dev.sluice.sink.client.spool.Spool.Entry;

/** Lists the entries of a spool, and looks into its directory, also while it is open. */
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

	/** Total size of its files. */
	static long bytes(Path directory) throws IOException {
		try (Stream<Path> paths = Files.walk(directory)) {
			return paths.mapToLong((path) -> path.toFile().isFile() ? path.toFile().length() : 0).sum();
		}
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
		for (SegmentReader.Whole record : records(segment)) {
			int from = (int) record.from();
			int to = (int) record.end();
			if (record.numbered() && (to > content.length || !Arrays.equals(original, from, to, content, from, to))) {
				numbers.add(record.number());
			}
		}
		return numbers;
	}

	/** All records of a segment. */
	static List<SegmentReader.Whole> records(Path segment) throws IOException {
		List<SegmentReader.Whole> records = new ArrayList<>();
		try (FileChannel channel = FileChannel.open(segment)) {
			SegmentReader reader = new SegmentReader(channel, Segment.named(segment).salt);
			while (reader.skim() instanceof SegmentReader.Whole whole) {
				records.add(whole);
			}
		}
		return records;
	}

}
