package dev.sluice.contract;

/** The Kafka topics. */
public final class Topics {

	/**
	 * Accepted orders. Key: customer id. Value: {@link Order} as JSON. Headers:
	 * {@link OrderHeaders}.
	 */
	public static final String ORDERS = "orders";

	/** Compacted. Key: order id. Value: {@link OrderOutcome} as JSON. */
	public static final String ORDER_OUTCOMES = "order-outcomes";

	/**
	 * Key, value and headers of the record that could not be delivered, and
	 * {@link DeadLetterHeaders}.
	 */
	public static final String ORDERS_DLT = "orders-dlt";

	/** What the gRPC sink stores. Key: message id. Value: the payload, decompressed. */
	public static final String SINK = "sink";

	private Topics() {
	}

}
