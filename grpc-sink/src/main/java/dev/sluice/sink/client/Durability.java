package dev.sluice.sink.client;

/** What a message in the spool survives. */
public enum Durability {

	/** The end of this process, also by {@code kill -9}. */
	PROCESS,

	/** Also a loss of power: each group of messages is forced to the disk. */
	POWER

}
