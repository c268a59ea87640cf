package dev.sluice.contract;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * Whether an order that was not answered 2xx may have been placed: the member
 * {@value #MEMBER} of a problem document. It refers to this request only; an earlier one
 * with the same key may have succeeded.
 */
public enum Placed {

	/** The order was not passed on, or was refused. */
	@JsonProperty("no")
	NO,

	/** The order may have been placed, or may still be. */
	@JsonProperty("unknown")
	UNKNOWN;

	/** Name of the member of a problem document that answers a POST with 429 or 5xx. */
	public static final String MEMBER = "placed";

}
