/**
 * A system that is deployed already: where it is, how to be let in, and what its services
 * say of themselves. Start reading at {@link dev.sluice.lab.kit.deployed.Target}.
 */
@NullMarked
package dev.sluice.lab.kit.deployed;

import org.jspecify.annotations.NullMarked;
