package dev.sluice.sink.request;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import com.github.luben.zstd.RecyclingBufferPool;
import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdDictDecompress;
import com.github.luben.zstd.ZstdException;
import com.github.luben.zstd.ZstdIOException;
import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import com.github.luben.zstd.util.Native;
import com.google.protobuf.ByteString;
import dev.sluice.contract.sink.Dictionary;
import org.jspecify.annotations.Nullable;

/**
 * Decompresses zstd frames, each up to a maximum number of bytes. Its native memory is
 * bounded by the number of threads that decompress at once: 160 KB each.
 */
public final class Decompressor {

	/**
	 * A decoder need not support windows over 8 MB (RFC 8878, section 3.1.1.1.2): a frame
	 * of a few bytes could otherwise have it allocate 128 MB.
	 */
	static final int MAX_WINDOW_LOG = 23;

	private static final int MAX_DICTIONARY_BYTES = 1024 * 1024;

	private final int maxBytes;

	private final @Nullable Dictionary dictionary;

	private final @Nullable ZstdDictDecompress loaded;

	private final Queue<ZstdDecompressCtx> idle = new ConcurrentLinkedQueue<>();

	private final Queue<ZstdDecompressCtx> idleWithDictionary = new ConcurrentLinkedQueue<>();

	/**
	 * Creates a decompressor with at most one dictionary.
	 * @param maxBytes maximum size of a decompressed message
	 * @param dictionary a zstd dictionary; null if there is none
	 * @throws IllegalStateException if the native zstd cannot be loaded
	 */
	public Decompressor(int maxBytes, byte @Nullable [] dictionary) {
		try {
			Native.load();
		}
		catch (LinkageError ex) {
			throw new IllegalStateException("zstd cannot be loaded: programs cannot be run from java.io.tmpdir=%s"
				.formatted(System.getProperty("java.io.tmpdir")), ex);
		}
		this.maxBytes = maxBytes;
		if (dictionary != null) {
			long id = Zstd.getDictIdFromDict(dictionary);
			if (id == 0 || dictionary.length > MAX_DICTIONARY_BYTES) {
				throw new IllegalArgumentException(
						"not a zstd dictionary with an id of its own and at most 1 MB; train one with 'lab sink --train'");
			}
			this.dictionary = Dictionary.newBuilder()
				.setId((int) id)
				.setContent(ByteString.copyFrom(dictionary))
				.build();
			this.loaded = new ZstdDictDecompress(dictionary);
		}
		else {
			this.dictionary = null;
			this.loaded = null;
		}
	}

	/** Creates a decompressor with the dictionary in a file. */
	public static Decompressor of(int maxBytes, @Nullable Path dictionary) {
		if (dictionary == null) {
			return new Decompressor(maxBytes, null);
		}
		try {
			return new Decompressor(maxBytes, Files.readAllBytes(dictionary));
		}
		catch (IOException ex) {
			throw new UncheckedIOException("sink.stream.dictionary=%s cannot be read: %s".formatted(dictionary, ex),
					ex);
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException("sink.stream.dictionary=%s is %s".formatted(dictionary, ex.getMessage()),
					ex);
		}
	}

	/** The dictionary that clients may compress with. */
	public @Nullable Dictionary dictionary() {
		return this.dictionary;
	}

	/**
	 * Memory that {@link #read} needs for the content of a frame, in bytes: the size in
	 * its header, the maximum if the header has none, or 0 if the frame will be refused.
	 */
	public int contentBytes(byte[] frame) {
		if (!isOneFrame(frame)) {
			return 0;
		}
		long size = Zstd.getFrameContentSize(frame);
		if (size > this.maxBytes) {
			return 0;
		}
		return (size >= 0) ? (int) size : this.maxBytes;
	}

	/** Whether it is exactly one complete frame. A skippable frame does not count. */
	private static boolean isOneFrame(byte[] bytes) {
		try {
			return bytes.length > Integer.BYTES
					&& ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getInt() == Zstd.magicNumber()
					&& Zstd.findFrameCompressedSize(bytes) == bytes.length;
		}
		catch (ZstdException _) {
			// It is cut off, or has no valid header.
			return false;
		}
	}

	Payload read(byte[] frame) {
		if (!isOneFrame(frame)) {
			return Payload.invalid("zstd_compressed is not exactly one zstd frame");
		}
		long size = Zstd.getFrameContentSize(frame);
		if (size > this.maxBytes) {
			return Payload.tooLarge(this.maxBytes);
		}
		long dictionaryId = Zstd.getDictIdFromFrame(frame);
		if (dictionaryId != 0
				&& (this.dictionary == null || dictionaryId != Integer.toUnsignedLong(this.dictionary.getId()))) {
			return Payload
				.invalid("zstd_compressed needs dictionary %s, which the sink does not have".formatted(dictionaryId));
		}
		try {
			return (size >= 0) ? knownSize(frame, (int) size, dictionaryId != 0)
					: unknownSize(frame, dictionaryId != 0);
		}
		catch (ZstdException ex) {
			return Payload.invalid("zstd_compressed is not one zstd frame: " + ex.getMessage());
		}
		catch (ZstdIOException ex) {
			return (ex.getErrorCode() == Zstd.errFrameParameterWindowTooLarge()) ? Payload.tooLarge(this.maxBytes)
					: Payload.invalid("zstd_compressed is not one zstd frame: " + ex.getMessage());
		}
		catch (IOException ex) {
			throw new IllegalStateException("Reading from memory cannot fail", ex);
		}
	}

	/** A frame with more content than its header says fails: the array has no room. */
	private Payload knownSize(byte[] frame, int size, boolean withDictionary) {
		Queue<ZstdDecompressCtx> pool = withDictionary ? this.idleWithDictionary : this.idle;
		ZstdDecompressCtx context = pool.poll();
		if (context == null) {
			context = new ZstdDecompressCtx();
			if (withDictionary) {
				context.loadDict(this.loaded);
			}
		}
		byte[] bytes = new byte[size];
		int decompressed;
		try {
			decompressed = context.decompressByteArray(bytes, 0, size, frame, 0, frame.length);
		}
		finally {
			pool.add(context);
		}
		return (decompressed == size) ? new Payload.Readable(bytes)
				: Payload.invalid("zstd_compressed has less content than its header says");
	}

	private Payload unknownSize(byte[] frame, boolean withDictionary) throws IOException {
		try (ZstdInputStreamNoFinalizer in = new ZstdInputStreamNoFinalizer(new ByteArrayInputStream(frame),
				RecyclingBufferPool.INSTANCE)) {
			in.setLongMax(MAX_WINDOW_LOG);
			if (withDictionary) {
				in.setDict(this.loaded);
			}
			byte[] bytes = in.readNBytes(this.maxBytes + 1);
			return (bytes.length <= this.maxBytes) ? new Payload.Readable(bytes) : Payload.tooLarge(this.maxBytes);
		}
	}

}
