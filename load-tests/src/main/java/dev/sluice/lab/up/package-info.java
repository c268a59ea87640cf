/**
 * {@code lab up}: the whole system on this machine. Start at
 * {@link dev.sluice.lab.up.Up}.
 */
@NullMarked
package dev.sluice.lab.up;

import org.jspecify.annotations.NullMarked;
