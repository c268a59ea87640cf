package dev.sluice.sink.client;

import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdDictCompress;
import org.jspecify.annotations.Nullable;

/**
 * Compresses messages into zstd frames where that pays. Where it has not paid for some
 * messages in a row, only one in sixteen is tried, until it pays again. Confined to one
 * thread.
 */
final class Compression implements AutoCloseable {

	private static final int ENOUGH = 8;

	private static final int TRY_EACH = 16;

	/** Below this a frame's header is more than what is saved. */
	private static final int SMALL_BYTES = 64;

	private final ZstdCompressCtx context;

	private final @Nullable ZstdDictCompress dictionary;

	private int inVain;

	/**
	 * A new one for each dictionary.
	 * @param level of zstd
	 * @param dictionary null for none
	 */
	Compression(int level, byte @Nullable [] dictionary) {
		this.context = new ZstdCompressCtx();
		this.context.setLevel(level);
		// A frame made with a damaged dictionary is refused, and not read as another one.
		this.context.setChecksum(true);
		this.dictionary = (dictionary != null) ? new ZstdDictCompress(dictionary, level) : null;
		if (this.dictionary != null) {
			this.context.loadDict(this.dictionary);
		}
	}

	/** A frame, smaller than the payload; null if it would not be. */
	byte @Nullable [] compress(byte[] payload) {
		if (payload.length < SMALL_BYTES || this.inVain >= ENOUGH && this.inVain++ % TRY_EACH != 0) {
			return null;
		}
		byte[] frame = this.context.compress(payload);
		if (frame.length >= payload.length) {
			this.inVain++;
			return null;
		}
		this.inVain = 0;
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
