/** {@code lab size}: what a rate needs, from what was measured. */
@NullMarked
package dev.sluice.lab.size;

import org.jspecify.annotations.NullMarked;
