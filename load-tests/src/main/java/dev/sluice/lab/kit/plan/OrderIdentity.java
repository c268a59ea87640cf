package dev.sluice.lab.kit.plan;

import java.util.UUID;

/**
 * The orders of a load by their numbers: customer, idempotency key and id follow from the
 * number, so none of them is kept. The id is derived as the gateways promise to: also of
 * an order that nobody ever answered it is known. Each answer that names an id is held
 * against it.
 *
 * @param token of the load; part of each key
 * @param customers how many there are; each has every so-manieth order
 */
public record OrderIdentity(String token, int customers) {

	/** Many enough for every partition, few enough for many orders of each. */
	public static final int CUSTOMERS = 997;

	public OrderIdentity(String token) {
		this(token, CUSTOMERS);
	}

	public String customer(int order) {
		return "customer-" + order % this.customers;
	}

	public String key(int order) {
		return this.token + "-" + order;
	}

	public UUID id(int order) {
		return OrderId.of(customer(order), key(order));
	}

}
