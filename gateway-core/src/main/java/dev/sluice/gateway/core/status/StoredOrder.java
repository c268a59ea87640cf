package dev.sluice.gateway.core.status;

import java.nio.charset.StandardCharsets;
import java.util.UUID;

import dev.sluice.contract.Fingerprint;
import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.order.OrderCodec;
import dev.sluice.gateway.core.order.OrderIds;
import dev.sluice.gateway.core.order.ValidOrder;
import dev.sluice.gateway.core.problem.ProblemException;
import dev.sluice.gateway.core.queue.RecentOrders;
import org.jspecify.annotations.Nullable;

/**
 * An order as PostgreSQL keeps it for redelivery.
 *
 * @param status how far the order has come
 * @param customerId the order's customer
 * @param payload its JSON; null unless it has failed and was readable
 */
public record StoredOrder(OrderStatus status, String customerId, @Nullable String payload) {

	/**
	 * The order to deliver again.
	 * @param id the order's id
	 * @param recent what Kafka knows of orders
	 * @param codec reads and checks the payload, which may have been enqueued under other
	 * rules
	 * @throws ProblemException if the order has not failed, or its payload is not a valid
	 * order
	 */
	public ValidOrder forRedelivery(UUID id, RecentOrders recent, OrderCodec codec) {
		if (this.status != OrderStatus.FAILED || recent.syncSave(id) != null) {
			throw notFailed(id);
		}
		if (this.payload == null) {
			throw notRedeliverable("The payload of order " + id + " could not be read.");
		}
		byte[] json = this.payload.getBytes(StandardCharsets.UTF_8);
		Fingerprint fingerprint = OrderIds.isDerived(id) ? Fingerprint.ofJson(json) : null;
		try {
			return new ValidOrder(id, codec.decode(json), json, fingerprint, null);
		}
		catch (ProblemException ex) {
			throw notRedeliverable("Order " + id + " is not valid.");
		}
	}

	public static ProblemException notFailed(UUID id) {
		return notRedeliverable("Order " + id + " has not failed.");
	}

	public static ProblemException isSaved(UUID id) {
		return notRedeliverable("Order " + id + " is saved.");
	}

	private static ProblemException notRedeliverable(String detail) {
		return new ProblemException(ProblemType.NOT_REDELIVERABLE, detail);
	}

}
