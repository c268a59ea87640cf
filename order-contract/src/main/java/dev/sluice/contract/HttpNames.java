package dev.sluice.contract;

/** HTTP header names that are not in every framework's list. */
public final class HttpNames {

	/**
	 * From client to gateway: names a request, so that it can be sent again (IETF draft
	 * httpapi-idempotency-key-header: a structured-field string). From gateway and
	 * consumer to backend: the order id, also quoted.
	 */
	public static final String IDEMPOTENCY_KEY = "Idempotency-Key";

	/** RFC 7240. {@value #RESPOND_ASYNC} chooses the queued mode. */
	public static final String PREFER = "Prefer";

	/** RFC 7240: the preferences that were applied. */
	public static final String PREFERENCE_APPLIED = "Preference-Applied";

	public static final String RESPOND_ASYNC = "respond-async";

	/**
	 * {@code wait=n}: maximum number of seconds to wait for a queued order to be saved.
	 */
	public static final String WAIT = "wait";

	private HttpNames() {
	}

}
