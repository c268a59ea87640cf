package dev.sluice.lab.knee;

import dev.sluice.lab.kit.result.ClientResult.Tally;

/**
 * Orders that were accepted and are not saved yet, since the backend had
 * {@code savedBefore}: waiting = accepted - saved.
 *
 * @param savedBefore orders that the backend had at the beginning
 * @param accepted orders since then
 */
record Backlog(long savedBefore, long accepted) {

	/** With what a load, now at its end, had accepted. */
	Backlog with(Tally load) {
		return new Backlog(this.savedBefore, this.accepted + load.answered() - load.failed());
	}

	/**
	 * How many wait.
	 * @param saved orders that the backend has now
	 */
	long waiting(long saved) {
		return this.accepted - (saved - this.savedBefore);
	}

}
