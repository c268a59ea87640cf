package dev.sluice.lab.chaos.ledger;

import java.net.URI;

/**
 * A gateway that gets orders.
 *
 * @param name its name in the results
 * @param uri without a path
 */
public record Gateway(String name, URI uri) {
}
