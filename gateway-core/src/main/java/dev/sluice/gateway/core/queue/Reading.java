package dev.sluice.gateway.core.queue;

/** How much of Kafka {@link RecentOrders} has read. */
public enum Reading {

	/**
	 * Everything that PostgreSQL may lack: an order that is not known was not there.
	 */
	CURRENT,

	/** Not everything in time, or there is more than can be kept. */
	BEHIND,

	/** Kafka has answered nothing for some seconds. */
	UNREACHABLE

}
