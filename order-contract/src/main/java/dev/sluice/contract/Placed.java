package dev.sluice.contract;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * What a problem promises of the order that was not answered 2xx: its member
 * {@value #MEMBER}. It speaks of this one request; an earlier one with the same key may
 * have had more success.
 */
public enum Placed {

	/** The order was passed on to nobody. */
	@JsonProperty("no")
	NO,

	/** The order may have been placed, or may still be. */
	@JsonProperty("unknown")
	UNKNOWN;

	/** Of a problem document that answers a POST with 429 or 5xx. */
	public static final String MEMBER = "placed";

}
