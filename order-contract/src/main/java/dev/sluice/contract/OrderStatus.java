package dev.sluice.contract;

import com.fasterxml.jackson.annotation.JsonProperty;

/** How far an order has come. {@link #SAVED} and {@link #FAILED} are final. */
public enum OrderStatus {

	/** Durable in Kafka; no delivery has ended yet. */
	@JsonProperty("accepted")
	ACCEPTED,

	/** At least one delivery failed for a temporary reason; another will follow. */
	@JsonProperty("retrying")
	RETRYING,

	/** The backend has it. */
	@JsonProperty("saved")
	SAVED,

	/** The backend refused it, or every attempt failed: it is a dead letter. */
	@JsonProperty("failed")
	FAILED

}
