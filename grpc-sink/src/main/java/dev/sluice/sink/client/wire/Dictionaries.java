package dev.sluice.sink.client.wire;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

import com.github.luben.zstd.Zstd;
import dev.sluice.contract.sink.Dictionary;
import io.grpc.Metadata;
import org.jspecify.annotations.Nullable;

/**
 * The dictionaries that sinks have sent to this client, by id, so that none is sent twice
 * to a process. Bounded by the last {@value #MAX_DICTIONARIES}. Not thread-safe.
 */
public final class Dictionaries {

	private static final Metadata.Key<String> HEADER = Metadata.Key.of("sink-dictionaries",
			Metadata.ASCII_STRING_MARSHALLER);

	private static final int MAX_DICTIONARIES = 4;

	private final Map<Integer, byte[]> known = new LinkedHashMap<>();

	/** The headers of a call: the known ids. */
	Metadata headers() {
		Metadata headers = new Metadata();
		if (!this.known.isEmpty()) {
			headers.put(HEADER,
					this.known.keySet().stream().map(Integer::toUnsignedString).collect(Collectors.joining(",")));
		}
		return headers;
	}

	/** The content of a dictionary from the sink; null if unknown or of another id. */
	byte @Nullable [] of(Dictionary advertised) {
		if (advertised.getContent().isEmpty()) {
			return this.known.get(advertised.getId());
		}
		byte[] content = advertised.getContent().toByteArray();
		if ((int) Zstd.getDictIdFromDict(content) != advertised.getId()) {
			return null;
		}
		this.known.put(advertised.getId(), content);
		if (this.known.size() > MAX_DICTIONARIES) {
			this.known.remove(this.known.keySet().iterator().next());
		}
		return content;
	}

}
