/**
 * Cuts connections and kills both sides while messages are sent. Start at
 * {@link dev.sluice.sink.ordeal.CutAndKillIT}.
 */
package dev.sluice.sink.ordeal;
