/**
 * {@code lab compare --causes}: why the reference's synchronous throughput collapsed.
 * Start at {@link dev.sluice.lab.causes.CausesPlan}.
 */
@NullMarked
package dev.sluice.lab.causes;

import org.jspecify.annotations.NullMarked;
