/**
 * The kernel's counters of processes and of the machine, sampled during the load. Start
 * at {@link dev.sluice.lab.kit.process.ProcessSampler}.
 */
@NullMarked
package dev.sluice.lab.kit.process;

import org.jspecify.annotations.NullMarked;
