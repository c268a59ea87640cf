package dev.sluice.lab.kit.plan;

import java.util.UUID;

/**
 * The orders of a load by number. Customer, idempotency key and id follow from the
 * number, so none of them is kept. The id is derived as the gateways promise to derive
 * it, so it is known even for an order that was never answered. Each id in an answer is
 * compared with it.
 *
 * @param token unique for the load; part of each key
 * @param customers number of customers, n; each has every n-th order
 */
public record OrderIdentity(String token, int customers) {

	/** Enough for every partition, and few enough that each has many orders. */
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
