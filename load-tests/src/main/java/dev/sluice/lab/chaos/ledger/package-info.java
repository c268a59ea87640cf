/**
 * What clients of {@code lab chaos} were told of each order, and what a witness knows of
 * it. Start at {@link dev.sluice.lab.chaos.ledger.LedgerAudit}.
 */
@NullMarked
package dev.sluice.lab.chaos.ledger;

import org.jspecify.annotations.NullMarked;
