/**
 * A deployed system: its addresses, credentials and the metrics of its services. Start
 * reading at {@link dev.sluice.lab.kit.deployed.Target}.
 */
@NullMarked
package dev.sluice.lab.kit.deployed;

import org.jspecify.annotations.NullMarked;
