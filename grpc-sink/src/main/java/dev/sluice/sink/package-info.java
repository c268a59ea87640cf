/** The streaming sink. */
@NullMarked
package dev.sluice.sink;

import org.jspecify.annotations.NullMarked;
