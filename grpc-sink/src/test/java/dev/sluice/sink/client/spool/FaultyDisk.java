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
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;

/** A disk that is full or fails to force when a test says so. */
final class FaultyDisk implements Disk {

	/** Names of forced files, once for each force. */
	final List<String> forced = new CopyOnWriteArrayList<>();

	/** Files with bytes that are not forced. */
	final Set<String> dirty = ConcurrentHashMap.newKeySet();

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

	/** Bytes read at a position. */
	final AtomicLong bytesRead = new AtomicLong();

	@Override
	public FileChannel open(Path file, OpenOption... options) throws IOException {
		return new Channel(file.getFileName().toString(), FileChannel.open(file, options));
	}

	@Override
	public void forceDirectory(Path directory) throws IOException {
		Disk.super.forceDirectory(directory);
		this.forcedDirectories.add(directory.normalize().getFileName().toString());
	}

	@Override
	public void delete(Path file) throws IOException {
		long bytes = Files.exists(file) ? Files.size(file) : 0;
		Files.deleteIfExists(file);
		freed(bytes);
	}

	private void freed(long bytes) {
		if (this.makesRoom && this.room != Long.MAX_VALUE) {
			this.room += bytes;
		}
	}

	private final class Channel extends FileChannel {

		private final String name;

		private final FileChannel channel;

		Channel(String name, FileChannel channel) {
			this.name = name;
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
			int length = (int) Math.min(from.remaining(), FaultyDisk.this.room);
			if (length == 0 && from.hasRemaining()) {
				throw new IOException("No space left on device");
			}
			int written = this.channel.write(from.duplicate().limit(from.position() + length));
			from.position(from.position() + written);
			FaultyDisk.this.room -= (FaultyDisk.this.room == Long.MAX_VALUE) ? 0 : written;
			FaultyDisk.this.dirty.add(this.name);
			return written;
		}

		@Override
		public void force(boolean metaData) throws IOException {
			FaultyDisk.this.beforeForce.run();
			if (FaultyDisk.this.failsToForce) {
				throw new IOException("Input/output error");
			}
			this.channel.force(metaData);
			FaultyDisk.this.forced.add(this.name);
			FaultyDisk.this.dirty.remove(this.name);
		}

		@Override
		public int read(ByteBuffer to) throws IOException {
			return this.channel.read(to);
		}

		@Override
		public int read(ByteBuffer to, long position) throws IOException {
			int read = this.channel.read(to, position);
			FaultyDisk.this.bytesRead.addAndGet(Math.max(0, read));
			return read;
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
		public FileChannel truncate(long size) throws IOException {
			long before = this.channel.size();
			this.channel.truncate(size);
			freed(Math.max(0, before - size));
			return this;
		}

		@Override
		public long transferTo(long position, long count, WritableByteChannel target) throws IOException {
			return this.channel.transferTo(position, count, target);
		}

		@Override
		protected void implCloseChannel() throws IOException {
			this.channel.close();
			FaultyDisk.this.open.decrementAndGet();
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
