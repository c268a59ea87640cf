package dev.sluice.sink.client.wire;

import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdDictCompress;
import com.github.luben.zstd.util.Native;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compresses messages into zstd frames if that makes them smaller. After {@value #ENOUGH}
 * messages in a row that did not become smaller, it tries only one in {@value #TRY_EACH},
 * until one does. Not thread-safe.
 */
final class Compression implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(Compression.class);

	private static final int ENOUGH = 8;

	private static final int TRY_EACH = 16;

	/** Below this size, a frame's header costs more than compression saves. */
	private static final int SMALL_BYTES = 64;

	/** Whether the native zstd can be loaded. If not, that is logged once. */
	static final boolean AVAILABLE = load();

	private final ZstdCompressCtx context;

	private final @Nullable ZstdDictCompress dictionary;

	private int incompressible;

	/**
	 * Creates a compressor.
	 * @param level level of zstd
	 * @param dictionary a zstd dictionary; null for none
	 */
	Compression(int level, byte @Nullable [] dictionary) {
		this.context = new ZstdCompressCtx();
		this.context.setLevel(level);
		// The sink refuses a frame made with a damaged dictionary, and does not misread
		// it.
		this.context.setChecksum(true);
		this.dictionary = (dictionary != null) ? load(dictionary, level) : null;
		if (this.dictionary != null) {
			this.context.loadDict(this.dictionary);
		}
	}

	/** Returns null if the dictionary is damaged. */
	private static @Nullable ZstdDictCompress load(byte[] dictionary, int level) {
		try {
			return new ZstdDictCompress(dictionary, level);
		}
		catch (IllegalStateException ex) {
			logger.warn("Messages are compressed without the sink's dictionary, which is damaged: {}", ex.toString());
			return null;
		}
	}

	private static boolean load() {
		try {
			Native.load();
			return true;
		}
		catch (LinkageError ex) {
			logger.warn("Messages are not compressed, as programs cannot be run from java.io.tmpdir={}: {}",
					System.getProperty("java.io.tmpdir"), ex.toString());
			return false;
		}
	}

	/** Returns a frame that is smaller than the payload; null if there is none. */
	byte @Nullable [] compress(byte[] payload) {
		if (payload.length < SMALL_BYTES || this.incompressible >= ENOUGH && this.incompressible++ % TRY_EACH != 0) {
			return null;
		}
		byte[] frame = this.context.compress(payload);
		if (frame.length >= payload.length) {
			this.incompressible++;
			return null;
		}
		this.incompressible = 0;
		return frame;
	}

	@Override
	public void close() {
		this.context.close();
		if (this.dictionary != null) {
			this.dictionary.close();
		}
	}

}
