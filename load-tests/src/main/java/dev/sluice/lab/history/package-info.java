/**
 * Runs over commits: which figures changed, when, and by how much. Start at
 * {@link dev.sluice.lab.history.History}; {@link dev.sluice.lab.history.Changes} has the
 * statistics.
 */
@NullMarked
package dev.sluice.lab.history;

import org.jspecify.annotations.NullMarked;
