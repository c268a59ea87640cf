package dev.sluice.sink.client.spool;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;

/** A channel that passes on what the spool uses, for disks of tests to override. */
abstract class FilterChannel extends FileChannel {

	private final FileChannel channel;

	FilterChannel(FileChannel channel) {
		this.channel = channel;
	}

	@Override
	public int write(ByteBuffer from) throws IOException {
		return this.channel.write(from);
	}

	@Override
	public void force(boolean metaData) throws IOException {
		this.channel.force(metaData);
	}

	@Override
	public FileChannel truncate(long size) throws IOException {
		this.channel.truncate(size);
		return this;
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
	protected void implCloseChannel() throws IOException {
		this.channel.close();
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
