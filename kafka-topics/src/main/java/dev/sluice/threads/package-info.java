/** Keeps the threads of a service running. */
@NullMarked
package dev.sluice.threads;

import org.jspecify.annotations.NullMarked;
