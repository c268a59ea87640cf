/**
 * Warms the JVM up before a gateway starts. Start at
 * {@link dev.sluice.gateway.core.warmup.WarmUp}.
 */
@NullMarked
package dev.sluice.gateway.core.warmup;

import org.jspecify.annotations.NullMarked;
