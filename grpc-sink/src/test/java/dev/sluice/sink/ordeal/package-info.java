/**
 * Cuts connections and kills both sides while messages are sent. Start at
 * {@link dev.sluice.sink.ordeal.TwoSinksIT}.
 */
package dev.sluice.sink.ordeal;
