/**
 * Cuts connections and kills both sides while messages go through. Start at
 * {@link dev.sluice.sink.ordeal.CutAndKillIT}.
 */
package dev.sluice.sink.ordeal;
