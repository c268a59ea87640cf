package dev.sluice.contract;

/**
 * The headers of a record of {@link Topics#ORDERS}: a CloudEvent in binary content mode
 * (CloudEvents 1.0, Kafka protocol binding) with the W3C trace context. Values are UTF-8.
 */
public final class OrderHeaders {

	/** The order id, a UUID. */
	public static final String ID = "ce_id";

	/** The gateway that accepted it, such as {@code /gateway-servlet}. */
	public static final String SOURCE = "ce_source";

	/** {@value #SPEC_VERSION_VALUE}. */
	public static final String SPEC_VERSION = "ce_specversion";

	public static final String SPEC_VERSION_VALUE = "1.0";

	/** {@value #TYPE_VALUE}. */
	public static final String TYPE = "ce_type";

	public static final String TYPE_VALUE = "dev.sluice.order.accepted.v1";

	/** When it was accepted: RFC 3339, UTC. */
	public static final String TIME = "ce_time";

	/** {@code application/json}. */
	public static final String CONTENT_TYPE = "content-type";

	/**
	 * The client's trace context, passed on to the backend; absent if the client sent
	 * none.
	 */
	public static final String TRACEPARENT = "traceparent";

	private OrderHeaders() {
	}

}
