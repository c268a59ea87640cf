package dev.sluice.gateway.core.order;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.regex.Pattern;

import com.fasterxml.uuid.Generators;
import com.fasterxml.uuid.NoArgGenerator;
import dev.sluice.contract.Fingerprint;
import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.problem.ProblemException;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Gives orders their ids. Without an idempotency key it is a UUIDv7; with one it is a
 * UUIDv8 derived from customer and key alone, so that a repeat has the same id at every
 * gateway and after every restart.
 */
@Component
public final class OrderIds {

	private static final Pattern UUID_FORM = Pattern
		.compile("[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}");

	private final NoArgGenerator generator = Generators.timeBasedEpochRandomGenerator();

	public UUID idOf(String customerId, @Nullable IdempotencyKey key) {
		return (key != null) ? derived(customerId, key) : this.generator.generate();
	}

	private static UUID derived(String customerId, IdempotencyKey key) {
		// Neither part can hold a zero byte, so no two pairs have the same bytes.
		byte[] pair = (customerId + '\0' + key.value()).getBytes(StandardCharsets.UTF_8);
		ByteBuffer hash = ByteBuffer.wrap(Fingerprint.sha256(pair));
		long high = (hash.getLong() & 0xffff_ffff_ffff_0fffL) | 0x8000L;
		long low = (hash.getLong() & 0x3fff_ffff_ffff_ffffL) | 0x8000_0000_0000_0000L;
		return new UUID(high, low);
	}

	/** Whether an id is derived from an idempotency key, so that it may be used again. */
	public static boolean isDerived(UUID id) {
		return id.version() == 8;
	}

	/**
	 * Reads an id from a path. {@link UUID#fromString} alone would accept
	 * {@code 1-1-1-1-1}.
	 * @param text what the client sent
	 * @return the id
	 * @throws ProblemException if it is not a UUID
	 */
	public static UUID parse(String text) {
		if (!UUID_FORM.matcher(text).matches()) {
			throw new ProblemException(ProblemType.INVALID_REQUEST, "The order id must be a UUID.");
		}
		return UUID.fromString(text);
	}

}
