package dev.sluice.contract;

/**
 * What a record of {@link Topics#ORDERS_DLT} has beside the headers of the record it was.
 * Values are UTF-8, numbers in decimal.
 */
public final class DeadLetterHeaders {

	/** {@code unreadable}, {@code rejected}, {@code exhausted} or {@code conflict}. */
	public static final String KIND = "dlt_kind";

	/**
	 * One line for operators: the backend's words or the exception. Not for clients,
	 * whose reason is {@link OrderOutcome#reason}.
	 */
	public static final String REASON = "dlt_reason";

	/** The stack trace, at most 8 KiB of it; absent where there was no exception. */
	public static final String STACK = "dlt_stack";

	/** Deliveries begun; 0 for an unreadable record. */
	public static final String ATTEMPTS = "dlt_attempts";

	public static final String ORIGINAL_TOPIC = "dlt_original_topic";

	public static final String ORIGINAL_PARTITION = "dlt_original_partition";

	public static final String ORIGINAL_OFFSET = "dlt_original_offset";

	/** Milliseconds since 1970. */
	public static final String ORIGINAL_TIMESTAMP = "dlt_original_timestamp";

	private DeadLetterHeaders() {
	}

}
