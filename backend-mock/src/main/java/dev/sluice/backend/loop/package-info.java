/**
 * The one thread that owns all state of the backend, and its time.
 */
@NullMarked
package dev.sluice.backend.loop;

import org.jspecify.annotations.NullMarked;
