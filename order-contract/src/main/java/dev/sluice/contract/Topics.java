package dev.sluice.contract;

/** The Kafka topics. */
public final class Topics {

	/**
	 * Accepted orders. Key: customer id. Value: {@link Order} as JSON. Headers:
	 * {@link OrderHeaders}.
	 */
	public static final String ORDERS = "orders";

	/**
	 * Outcomes of orders; compacted. Key: {@link OrderOutcome#key()}. Value:
	 * {@link OrderOutcome} as JSON.
	 */
	public static final String ORDER_OUTCOMES = "order-outcomes";

	/**
	 * Dead letters: key, value and headers of the record that could not be delivered, and
	 * {@link DeadLetterHeaders}.
	 */
	public static final String ORDERS_DLT = "orders-dlt";

	/**
	 * {@code max.message.bytes} of {@link #ORDERS_DLT}: a dead letter is the original
	 * record, which may be as large as a broker accepts, and up to 10 KiB of headers.
	 */
	public static final int ORDERS_DLT_MAX_BYTES = 2 * 1024 * 1024;

	/**
	 * Messages that the gRPC sink stores. Key: message id. Value: the payload,
	 * decompressed.
	 */
	public static final String SINK = "sink";

	private Topics() {
	}

}
