package dev.sluice.gateway.core.order;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.UUID;

import dev.sluice.contract.OrderPage;
import dev.sluice.contract.OrderView;
import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.problem.ProblemException;
import org.jspecify.annotations.Nullable;
import org.springframework.util.MultiValueMap;

/**
 * A client's query for failed orders: {@code status=failed}, {@code limit} and
 * {@code after}. Other parameters are refused.
 *
 * @param limit maximum number of orders, 1 to 1,000
 * @param after time of failure after which the list begins
 * @param afterId of the orders that failed at that time, the id after which the list
 * begins
 */
public record PageQuery(int limit, Instant after, UUID afterId) {

	private static final int DEFAULT_LIMIT = 100;

	private static final int MAX_LIMIT = 1_000;

	private static final Set<String> NAMES = Set.of("status", "limit", "after");

	private static final int CURSOR_BYTES = 3 * Long.BYTES;

	/**
	 * Reads the parameters.
	 * @param parameters the request's parameters
	 * @return the query
	 * @throws ProblemException if a parameter is unknown, repeated or not valid
	 */
	public static PageQuery parse(MultiValueMap<String, String> parameters) {
		for (String name : parameters.keySet()) {
			if (!NAMES.contains(name)) {
				throw invalid("Only status, limit and after are parameters here.");
			}
		}
		if (!"failed".equals(single(parameters, "status"))) {
			throw invalid("Only failed orders can be listed: status must be failed.");
		}
		ByteBuffer cursor = cursor(single(parameters, "after"));
		Instant after = Instant.EPOCH.plus(cursor.getLong(), ChronoUnit.MICROS);
		return new PageQuery(limit(single(parameters, "limit")), after, new UUID(cursor.getLong(), cursor.getLong()));
	}

	/** The cursor of the page that follows this order. */
	public static String cursorAfter(OrderView order) {
		Instant updatedAt = (order.updatedAt() != null) ? order.updatedAt() : Instant.EPOCH;
		ByteBuffer cursor = ByteBuffer.allocate(CURSOR_BYTES)
			.putLong(ChronoUnit.MICROS.between(Instant.EPOCH, updatedAt))
			.putLong(order.id().getMostSignificantBits())
			.putLong(order.id().getLeastSignificantBits());
		return Base64.getUrlEncoder().withoutPadding().encodeToString(cursor.array());
	}

	/**
	 * Makes the page to answer with.
	 * @param oneMore the orders found, one more than the limit if there are more
	 */
	public OrderPage page(List<OrderView> oneMore) {
		if (oneMore.size() <= this.limit) {
			return new OrderPage(oneMore, null);
		}
		List<OrderView> orders = oneMore.subList(0, this.limit);
		return new OrderPage(orders, cursorAfter(orders.getLast()));
	}

	private static ByteBuffer cursor(@Nullable String text) {
		if (text == null) {
			return ByteBuffer.allocate(CURSOR_BYTES);
		}
		try {
			ByteBuffer cursor = ByteBuffer.wrap(Base64.getUrlDecoder().decode(text));
			long micros = (cursor.remaining() == CURSOR_BYTES) ? cursor.getLong(0) : -1;
			// The year 9999 is the last one in the table.
			if (micros >= 0 && micros < 253_402_300_800_000_000L) {
				return cursor;
			}
		}
		catch (IllegalArgumentException ex) {
			// Not base64, so not a cursor.
		}
		throw invalid("The parameter after must be the member next of an earlier answer.");
	}

	private static int limit(@Nullable String text) {
		if (text == null) {
			return DEFAULT_LIMIT;
		}
		try {
			int limit = Integer.parseInt(text);
			if (limit >= 1 && limit <= MAX_LIMIT) {
				return limit;
			}
		}
		catch (NumberFormatException ex) {
			// Not a number, so not in the range.
		}
		throw invalid("The parameter limit must be a number from 1 to " + MAX_LIMIT + ".");
	}

	private static @Nullable String single(MultiValueMap<String, String> parameters, String name) {
		List<String> values = parameters.getOrDefault(name, List.of());
		if (values.size() > 1) {
			throw invalid("The parameter " + name + " occurs more than once.");
		}
		return values.isEmpty() ? null : values.getFirst();
	}

	private static ProblemException invalid(String detail) {
		return new ProblemException(ProblemType.INVALID_REQUEST, detail);
	}

}
