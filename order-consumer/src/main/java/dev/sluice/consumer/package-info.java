/** The consumer. */
@NullMarked
package dev.sluice.consumer;

import org.jspecify.annotations.NullMarked;
