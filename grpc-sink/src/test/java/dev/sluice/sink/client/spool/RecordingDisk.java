package dev.sluice.sink.client.spool;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * A disk that records all writes in order, and creates directories as a crash may leave
 * them. After a loss of power, forced bytes are there; of later writes any blocks may be
 * there, and any later creations and deletions of files may have happened.
 */
final class RecordingDisk implements Disk {

	private static final int BLOCK = 4_096;

	private final Path root;

	/** The initial content, which is durable. */
	private final Map<Path, byte[]> before = new TreeMap<>();

	private final List<Operation> operations = new ArrayList<>();

	private sealed interface Operation {

		Path path();

	}

	private record Create(Path path) implements Operation {
	}

	private record Write(Path path, long at, byte[] bytes) implements Operation {
	}

	private record Truncate(Path path, long size) implements Operation {
	}

	private record Force(Path path) implements Operation {
	}

	private record Delete(Path path) implements Operation {
	}

	private record ForceDirectory(Path path) implements Operation {
	}

	RecordingDisk(Path root) throws IOException {
		this.root = root;
		if (Files.isDirectory(root)) {
			try (Stream<Path> files = Files.walk(root)) {
				for (Path file : files.filter((path) -> path.toString().endsWith(".segment")).toList()) {
					this.before.put(root.relativize(file), Files.readAllBytes(file));
				}
			}
		}
	}

	/** Number of operations so far. */
	synchronized int operations() {
		return this.operations.size();
	}

	private synchronized void add(Operation operation) {
		this.operations.add(operation);
	}

	private Path relative(Path path) {
		return this.root.relativize(path);
	}

	/**
	 * Creates a directory as it is if the process is killed after this many operations.
	 */
	synchronized void kill(int after, Path to) throws IOException {
		Map<Path, byte[]> files = new TreeMap<>(this.before);
		this.operations.subList(0, after).forEach((operation) -> apply(files, operation));
		write(files, to);
	}

	/** Creates a directory as it may be if the power fails after this many operations. */
	synchronized void cutPower(int after, RandomGenerator random, Path to) throws IOException {
		List<Operation> done = this.operations.subList(0, after);
		Map<Path, Integer> forced = new HashMap<>();
		for (int i = 0; i < after; i++) {
			if (done.get(i) instanceof Force || done.get(i) instanceof ForceDirectory) {
				forced.put(done.get(i).path(), i);
			}
		}
		Map<Path, byte[]> files = new TreeMap<>(this.before);
		for (int i = 0; i < after; i++) {
			Operation operation = done.get(i);
			boolean ofDirectory = operation instanceof Create || operation instanceof Delete;
			Path of = ofDirectory ? directory(operation.path()) : operation.path();
			boolean durable = forced.getOrDefault(of, -1) > i;
			switch (operation) {
				case Write write when !durable -> {
					for (Write block : blocks(write)) {
						if (random.nextBoolean()) {
							apply(files, block);
						}
						else if (random.nextBoolean()) {
							// Only the file's length is durable.
							apply(files, new Write(block.path(), block.at(), new byte[0]));
							lengthen(files, block);
						}
					}
				}
				case Create _, Delete _, Truncate _ when !durable && random.nextBoolean() -> {
					// Lost.
				}
				default -> apply(files, operation);
			}
		}
		write(files, to);
	}

	private static Path directory(Path file) {
		return (file.getParent() != null) ? file.getParent() : Path.of("");
	}

	private static List<Write> blocks(Write write) {
		List<Write> blocks = new ArrayList<>();
		int from = 0;
		while (from < write.bytes().length) {
			int length = (int) Math.min(write.bytes().length - from, BLOCK - (write.at() + from) % BLOCK);
			blocks.add(
					new Write(write.path(), write.at() + from, Arrays.copyOfRange(write.bytes(), from, from + length)));
			from += length;
		}
		return blocks;
	}

	private static void lengthen(Map<Path, byte[]> files, Write write) {
		byte[] content = files.get(write.path());
		int end = (int) write.at() + write.bytes().length;
		if (content != null && content.length < end) {
			files.put(write.path(), Arrays.copyOf(content, end));
		}
	}

	private static void apply(Map<Path, byte[]> files, Operation operation) {
		switch (operation) {
			case Create create -> files.putIfAbsent(create.path(), new byte[0]);
			case Delete delete -> files.remove(delete.path());
			case Truncate truncate ->
				files.computeIfPresent(truncate.path(), (_, content) -> (content.length > truncate.size())
						? Arrays.copyOf(content, (int) truncate.size()) : content);
			case Write write -> {
				lengthen(files, write);
				byte[] content = files.get(write.path());
				if (content != null) {
					System.arraycopy(write.bytes(), 0, content, (int) write.at(), write.bytes().length);
				}
			}
			case Force _, ForceDirectory _ -> {
			}
		}
	}

	private static void write(Map<Path, byte[]> files, Path to) throws IOException {
		for (Map.Entry<Path, byte[]> file : files.entrySet()) {
			Path path = to.resolve(file.getKey().toString());
			Files.createDirectories(path.getParent());
			Files.write(path, file.getValue());
		}
	}

	@Override
	public FileChannel open(Path file, OpenOption... options) throws IOException {
		boolean made = !Files.exists(file);
		FileChannel channel = FileChannel.open(file, Set.of(options));
		if (made) {
			add(new Create(relative(file)));
		}
		return new Channel(relative(file), channel);
	}

	@Override
	public void delete(Path file) throws IOException {
		add(new Delete(relative(file)));
		Disk.super.delete(file);
	}

	@Override
	public void forceDirectory(Path directory) throws IOException {
		add(new ForceDirectory(relative(directory)));
	}

	private final class Channel extends FilterChannel {

		private final Path path;

		Channel(Path path, FileChannel channel) {
			super(channel);
			this.path = path;
		}

		@Override
		public int write(ByteBuffer from) throws IOException {
			byte[] bytes = new byte[from.remaining()];
			from.duplicate().get(bytes);
			long at = position();
			while (from.hasRemaining()) {
				super.write(from);
			}
			add(new Write(this.path, at, bytes));
			return bytes.length;
		}

		@Override
		public void force(boolean metaData) {
			add(new Force(this.path));
		}

		@Override
		public FileChannel truncate(long size) throws IOException {
			super.truncate(size);
			add(new Truncate(this.path, size));
			return this;
		}

	}

}
