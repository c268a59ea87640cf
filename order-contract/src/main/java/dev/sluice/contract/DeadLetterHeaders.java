package dev.sluice.contract;

/**
 * Headers that a record of {@link Topics#ORDERS_DLT} has in addition to those of the
 * original record. Values are UTF-8, numbers in decimal.
 */
public final class DeadLetterHeaders {

	/** {@code unreadable}, {@code rejected}, {@code exhausted} or {@code conflict}. */
	public static final String KIND = "dlt_kind";

	/**
	 * One line for operators: the backend's answer or the exception. Clients get
	 * {@link OrderOutcome#reason} instead.
	 */
	public static final String REASON = "dlt_reason";

	/** The stack trace, at most 8 KiB of it; absent if there was no exception. */
	public static final String STACK = "dlt_stack";

	/** Number of deliveries started; 0 for an unreadable record. */
	public static final String ATTEMPTS = "dlt_attempts";

	public static final String ORIGINAL_TOPIC = "dlt_original_topic";

	public static final String ORIGINAL_PARTITION = "dlt_original_partition";

	public static final String ORIGINAL_OFFSET = "dlt_original_offset";

	/** When the broker appended it, in milliseconds since 1970. */
	public static final String ORIGINAL_TIMESTAMP = "dlt_original_timestamp";

	private DeadLetterHeaders() {
	}

}
