package dev.sluice.sink.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** A disk that has no room, or does not force, when a test says so. */
final class FaultyDisk implements Disk {

	/** Files, by name, each time one was forced. */
	final List<String> forced = new CopyOnWriteArrayList<>();

	/** Files that have bytes which are not forced. */
	final Set<String> dirty = ConcurrentHashMap.newKeySet();

	/** Bytes that it still takes; beyond, it is full. */
	volatile long room = Long.MAX_VALUE;

	volatile boolean failsToForce;

	@Override
	public FileChannel open(Path file, OpenOption... options) throws IOException {
		return new Channel(file.getFileName().toString(), FileChannel.open(file, options));
	}

	private final class Channel extends FileChannel {

		private final String name;

		private final FileChannel channel;

		Channel(String name, FileChannel channel) {
			this.name = name;
			this.channel = channel;
		}

		@Override
		public int write(ByteBuffer from) throws IOException {
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
			return this.channel.read(to, position);
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
			this.channel.truncate(size);
			return this;
		}

		@Override
		public long transferTo(long position, long count, WritableByteChannel target) throws IOException {
			return this.channel.transferTo(position, count, target);
		}

		@Override
		protected void implCloseChannel() throws IOException {
			this.channel.close();
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
