/**
 * What made the reference's synchronous throughput collapse:
 * {@code lab compare --causes}. Start at {@link dev.sluice.lab.causes.CausesPlan}.
 */
@NullMarked
package dev.sluice.lab.causes;

import org.jspecify.annotations.NullMarked;
