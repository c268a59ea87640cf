package dev.sluice.lab.knee;

import dev.sluice.lab.kit.result.ClientResult.Tally;

/**
 * Orders accepted and not yet saved: waiting = accepted - (saved - savedBefore).
 *
 * @param savedBefore number of orders that the backend had at the start
 * @param accepted number of orders accepted since then
 */
record Backlog(long savedBefore, long accepted) {

	/** Adds the orders that a finished load had accepted. */
	Backlog with(Tally load) {
		return new Backlog(this.savedBefore, this.accepted + load.answered() - load.failed());
	}

	/**
	 * Number of orders that wait.
	 * @param saved number of orders that the backend has now
	 */
	long waiting(long saved) {
		return this.accepted - (saved - this.savedBefore);
	}

}
