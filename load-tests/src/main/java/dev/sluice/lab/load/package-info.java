/**
 * {@code lab load}: orders at a fixed rate from one or several machines.
 * {@link dev.sluice.lab.load.Coordinator} keeps the clock and adds up the parts' reports.
 */
@NullMarked
package dev.sluice.lab.load;

import org.jspecify.annotations.NullMarked;
