package dev.sluice.sink.client.wire;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.github.luben.zstd.Zstd;
import dev.sluice.contract.sink.Dictionary;
import io.grpc.Metadata;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The dictionaries that sinks have sent, by id. They are also saved next to the spool, so
 * that none is sent twice. Bounded by the last {@value #MAX_DICTIONARIES}. Not
 * thread-safe.
 */
public final class Dictionaries {

	public static final Metadata.Key<String> HEADER = Metadata.Key.of("sink-dictionaries",
			Metadata.ASCII_STRING_MARSHALLER);

	private static final Logger logger = LoggerFactory.getLogger(Dictionaries.class);

	private static final int MAX_DICTIONARIES = 4;

	private static final String SUFFIX = ".zdict";

	private final @Nullable Path spool;

	private final Map<Integer, byte[]> known = new LinkedHashMap<>();

	/**
	 * Reads the dictionaries next to the spool.
	 * @param spool the spool's directory; null if there is none
	 */
	public Dictionaries(@Nullable Path spool) {
		this.spool = spool;
		if (spool != null) {
			try (Stream<Path> files = Files.list(directory(spool))) {
				files.filter((file) -> isOf(spool, file)).limit(MAX_DICTIONARIES).forEach(this::read);
			}
			catch (IOException ex) {
				logger.warn("The dictionaries next to {} cannot be read; the sink will send its own: {}", spool,
						ex.toString());
			}
		}
	}

	private static Path directory(Path spool) {
		Path parent = spool.toAbsolutePath().getParent();
		return (parent != null) ? parent : spool.toAbsolutePath();
	}

	private static boolean isOf(Path spool, Path file) {
		String name = file.getFileName().toString();
		return name.startsWith(spool.getFileName() + "-") && name.endsWith(SUFFIX);
	}

	private void read(Path file) {
		try {
			byte[] content = Files.readAllBytes(file);
			int id = (int) Zstd.getDictIdFromDict(content);
			if (id != 0) {
				this.known.put(id, content);
			}
		}
		catch (IOException ex) {
			logger.warn("{} cannot be read; the sink will send it: {}", file, ex.toString());
		}
	}

	/** The header with the known ids; null if there are none. */
	public @Nullable String header() {
		return this.known.isEmpty() ? null
				: this.known.keySet().stream().map(Integer::toUnsignedString).collect(Collectors.joining(","));
	}

	/** The content of a dictionary from the sink; null if unknown or of another id. */
	public byte @Nullable [] of(Dictionary advertised) {
		if (advertised.getContent().isEmpty()) {
			return this.known.get(advertised.getId());
		}
		byte[] content = advertised.getContent().toByteArray();
		if ((int) Zstd.getDictIdFromDict(content) != advertised.getId()) {
			return null;
		}
		this.known.put(advertised.getId(), content);
		Path file = this.spool;
		if (file != null) {
			keep(file, advertised.getId(), content);
		}
		if (this.known.size() > MAX_DICTIONARIES) {
			forget(this.known.keySet().iterator().next());
		}
		return content;
	}

	private static Path file(Path spool, int id) {
		return spool.resolveSibling(spool.getFileName() + "-" + Integer.toUnsignedString(id) + SUFFIX);
	}

	private static void keep(Path spool, int id, byte[] content) {
		Path file = file(spool, id);
		try {
			Path unfinished = file.resolveSibling(file.getFileName() + ".tmp");
			try (FileChannel channel = FileChannel.open(unfinished, StandardOpenOption.CREATE,
					StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
				ByteBuffer buffer = ByteBuffer.wrap(content);
				while (buffer.hasRemaining()) {
					channel.write(buffer);
				}
				// Its name must not outlive its content.
				channel.force(true);
			}
			Files.move(unfinished, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
		}
		catch (IOException ex) {
			logger.warn("{} cannot be saved; the sink will send it again: {}", file, ex.toString());
		}
	}

	private void forget(int id) {
		this.known.remove(id);
		Path of = this.spool;
		if (of != null) {
			try {
				Files.deleteIfExists(file(of, id));
			}
			catch (IOException ex) {
				logger.warn("{} cannot be deleted: {}", file(of, id), ex.toString());
			}
		}
	}

}
