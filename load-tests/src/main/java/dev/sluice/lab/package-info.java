/** The laboratory. */
@NullMarked
package dev.sluice.lab;

import org.jspecify.annotations.NullMarked;
