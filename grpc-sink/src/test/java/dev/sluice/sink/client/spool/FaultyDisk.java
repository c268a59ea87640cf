package dev.sluice.sink.client.spool;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;

/** A disk that is full or fails to force when a test says so. */
final class FaultyDisk implements Disk {

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

	interface Bad {

		boolean isBad(Path file, long from, long to);

	}

	@Override
	public FileChannel open(Path file, OpenOption... options) throws IOException {
		return new Channel(file, FileChannel.open(file, options));
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

	private final class Channel extends FilterChannel {

		private final Path file;

		Channel(Path file, FileChannel channel) {
			super(channel);
			this.file = file;
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
			int written = super.write(from.duplicate().limit(from.position() + length));
			from.position(from.position() + written);
			FaultyDisk.this.room -= (FaultyDisk.this.room == Long.MAX_VALUE) ? 0 : written;
			return written;
		}

		@Override
		public void force(boolean metaData) throws IOException {
			FaultyDisk.this.beforeForce.run();
			if (FaultyDisk.this.failsToForce) {
				throw new IOException("Input/output error");
			}
			super.force(metaData);
		}

		@Override
		public int read(ByteBuffer to, long position) throws IOException {
			if (FaultyDisk.this.bad.isBad(this.file, position, position + to.remaining())) {
				throw new IOException("Input/output error");
			}
			int read = super.read(to, position);
			FaultyDisk.this.bytesRead.addAndGet(Math.max(0, read));
			return read;
		}

		@Override
		public FileChannel truncate(long size) throws IOException {
			long before = size();
			super.truncate(size);
			freed(Math.max(0, before - size));
			return this;
		}

		@Override
		protected void implCloseChannel() throws IOException {
			super.implCloseChannel();
			FaultyDisk.this.open.decrementAndGet();
		}

	}

}
