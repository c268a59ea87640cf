package dev.sluice.sink.client.spool;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import dev.sluice.sink.client.spool.FaultyDisk.Operation.Type;
import org.jspecify.annotations.Nullable;

/** A disk that is full or fails to force when a test says so. */
class FaultyDisk implements Disk {

	/** Names of forced directories, once for each force. */
	final List<String> forcedDirectories = new CopyOnWriteArrayList<>();

	/** Number of files that are open. */
	final AtomicInteger open = new AtomicInteger();

	/** Called before each force of a file. */
	volatile Runnable beforeForce = () -> {
	};

	/** Bytes of free space. */
	volatile long room = Long.MAX_VALUE;

	/** Whether deleting and truncating files frees space. */
	volatile boolean makesRoom;

	volatile boolean failsToForce;

	/** The message of the exception of the next write; null if it does not fail. */
	volatile @Nullable String failsToWriteOnce;

	/** Whether a read of a file from a position to another one fails. */
	volatile Bad bad = (_, _, _) -> false;

	/** Bytes read at a position. */
	final AtomicLong bytesRead = new AtomicLong();

	/** What a channel, or the disk itself, has done. */
	record Operation(Type type, Path path, long at, byte[] bytes) {

		enum Type {

			CREATE, WRITE, TRUNCATE, FORCE, DELETE

		}

	}

	interface Bad {

		boolean isBad(Path file, long from, long to);

	}

	@Override
	public FileChannel open(Path file, OpenOption... options) throws IOException {
		boolean made = !Files.exists(file);
		FileChannel channel = FileChannel.open(file, options);
		if (made) {
			done(Type.CREATE, file, 0);
		}
		return new Channel(file, channel);
	}

	/** Is told of each operation. */
	void done(Operation operation) {
	}

	private void done(Type type, Path path, long at, byte... bytes) {
		done(new Operation(type, path, at, bytes));
	}

	@Override
	public void forceDirectory(Path directory) throws IOException {
		done(Type.FORCE, directory, 0);
		this.forcedDirectories.add(directory.normalize().getFileName().toString());
	}

	@Override
	public void delete(Path file) throws IOException {
		done(Type.DELETE, file, 0);
		long bytes = Files.exists(file) ? Files.size(file) : 0;
		Files.deleteIfExists(file);
		freed(bytes);
	}

	private void freed(long bytes) {
		if (this.makesRoom && this.room != Long.MAX_VALUE) {
			this.room += bytes;
		}
	}

	/** Has what the spool uses. */
	private final class Channel extends FileChannel {

		private final Path file;

		private final FileChannel channel;

		Channel(Path file, FileChannel channel) {
			this.file = file;
			this.channel = channel;
			FaultyDisk.this.open.incrementAndGet();
		}

		@Override
		public int write(ByteBuffer from) throws IOException {
			String failure = FaultyDisk.this.failsToWriteOnce;
			if (failure != null) {
				FaultyDisk.this.failsToWriteOnce = null;
				throw new IOException(failure);
			}
			byte[] bytes = new byte[(int) Math.min(from.remaining(), FaultyDisk.this.room)];
			if (bytes.length == 0 && from.hasRemaining()) {
				throw new IOException("No space left on device");
			}
			from.get(bytes);
			done(Type.WRITE, this.file, position(), bytes);
			ByteBuffer left = ByteBuffer.wrap(bytes);
			while (left.hasRemaining()) {
				this.channel.write(left);
			}
			FaultyDisk.this.room -= (FaultyDisk.this.room == Long.MAX_VALUE) ? 0 : bytes.length;
			return bytes.length;
		}

		@Override
		public void force(boolean metaData) throws IOException {
			FaultyDisk.this.beforeForce.run();
			if (FaultyDisk.this.failsToForce) {
				throw new IOException("Input/output error");
			}
			done(Type.FORCE, this.file, 0);
		}

		@Override
		public int read(ByteBuffer to, long position) throws IOException {
			if (FaultyDisk.this.bad.isBad(this.file, position, position + to.remaining())) {
				throw new IOException("Input/output error");
			}
			int read = this.channel.read(to, position);
			FaultyDisk.this.bytesRead.addAndGet(Math.max(0, read));
			return read;
		}

		@Override
		public FileChannel truncate(long size) throws IOException {
			long before = size();
			this.channel.truncate(size);
			done(Type.TRUNCATE, this.file, size);
			freed(Math.max(0, before - size));
			return this;
		}

		@Override
		public long position() throws IOException {
			return this.channel.position();
		}

		@Override
		public FileChannel position(long position) throws IOException {
			this.channel.position(position);
			return this;
		}

		@Override
		public long size() throws IOException {
			return this.channel.size();
		}

		@Override
		protected void implCloseChannel() throws IOException {
			this.channel.close();
			FaultyDisk.this.open.decrementAndGet();
		}

		@Override
		public int read(ByteBuffer to) {
			throw new UnsupportedOperationException();
		}

		@Override
		public long read(ByteBuffer[] to, int offset, int length) {
			throw new UnsupportedOperationException();
		}

		@Override
		public long write(ByteBuffer[] from, int offset, int length) {
			throw new UnsupportedOperationException();
		}

		@Override
		public int write(ByteBuffer from, long position) {
			throw new UnsupportedOperationException();
		}

		@Override
		public long transferTo(long position, long count, WritableByteChannel target) {
			throw new UnsupportedOperationException();
		}

		@Override
		public long transferFrom(ReadableByteChannel source, long position, long count) {
			throw new UnsupportedOperationException();
		}

		@Override
		public MappedByteBuffer map(MapMode mode, long position, long size) {
			throw new UnsupportedOperationException();
		}

		@Override
		public FileLock lock(long position, long size, boolean shared) {
			throw new UnsupportedOperationException();
		}

		@Override
		public FileLock tryLock(long position, long size, boolean shared) {
			throw new UnsupportedOperationException();
		}

	}

}
