package dev.sluice.sink.client;

/** What a message in the spool outlives. */
public enum Durability {

	/** The death of this process, by {@code kill -9} too. */
	PROCESS,

	/** Also that of the machine: each group of messages is forced to the disk. */
	POWER

}
