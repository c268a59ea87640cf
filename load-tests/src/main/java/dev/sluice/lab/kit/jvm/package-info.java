/**
 * Flight recordings of the measured JVMs. Start at
 * {@link dev.sluice.lab.kit.jvm.JvmRecords}.
 */
@NullMarked
package dev.sluice.lab.kit.jvm;

import org.jspecify.annotations.NullMarked;
