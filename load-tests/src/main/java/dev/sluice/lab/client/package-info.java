/**
 * A client that sends requests by the clock, whatever became of those before, and waits
 * for their answers in one of several ways. Start at
 * {@link dev.sluice.lab.kit.client.OpenClient};
 * {@link dev.sluice.lab.client.ClientCommand} is {@code lab client}.
 */
@NullMarked
package dev.sluice.lab.client;

import org.jspecify.annotations.NullMarked;
