/**
 * Records that JVMs write about themselves: flight recordings and GC logs. Start at
 * {@link dev.sluice.lab.kit.jvm.JfrRecording}.
 */
@NullMarked
package dev.sluice.lab.kit.jvm;

import org.jspecify.annotations.NullMarked;
