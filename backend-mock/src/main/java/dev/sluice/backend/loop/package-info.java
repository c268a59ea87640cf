/** The one thread that owns all state of the backend, and its clock. */
@NullMarked
package dev.sluice.backend.loop;

import org.jspecify.annotations.NullMarked;
