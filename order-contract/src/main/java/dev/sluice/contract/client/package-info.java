/** How blocking clients connect to the backend. */
@NullMarked
package dev.sluice.contract.client;

import org.jspecify.annotations.NullMarked;
