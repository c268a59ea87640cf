/** {@code lab size}: the cores that a rate needs, from measured runs. */
@NullMarked
package dev.sluice.lab.size;

import org.jspecify.annotations.NullMarked;
