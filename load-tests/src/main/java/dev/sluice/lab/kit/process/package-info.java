/**
 * What the kernel counts of processes and of the machine, sampled beside the load. Start
 * at {@link dev.sluice.lab.kit.process.ProcessSampler}.
 */
@NullMarked
package dev.sluice.lab.kit.process;

import org.jspecify.annotations.NullMarked;
