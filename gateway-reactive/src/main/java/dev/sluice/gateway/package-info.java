/** The gateway. */
@NullMarked
package dev.sluice.gateway;

import org.jspecify.annotations.NullMarked;
