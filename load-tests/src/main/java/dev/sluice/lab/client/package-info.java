/**
 * A client that sends requests by the clock, however many are outstanding, and waits for
 * answers in one of several ways. Start at {@link dev.sluice.lab.kit.client.OpenClient};
 * {@link dev.sluice.lab.client.ClientExperiment} is {@code lab client}.
 */
@NullMarked
package dev.sluice.lab.client;

import org.jspecify.annotations.NullMarked;
