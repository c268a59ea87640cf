/**
 * An open-model HTTP client in this process, with clock and counters. Start at
 * {@link dev.sluice.lab.kit.client.OpenClient}.
 */
@NullMarked
package dev.sluice.lab.kit.client;

import org.jspecify.annotations.NullMarked;
