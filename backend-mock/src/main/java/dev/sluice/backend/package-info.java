/** The slow backend. */
@NullMarked
package dev.sluice.backend;

import org.jspecify.annotations.NullMarked;
