/**
 * The ledger of the answers that clients of {@code lab chaos} got, and its audit by a
 * witness. Start at {@link dev.sluice.lab.chaos.ledger.LedgerAudit}.
 */
@NullMarked
package dev.sluice.lab.chaos.ledger;

import org.jspecify.annotations.NullMarked;
