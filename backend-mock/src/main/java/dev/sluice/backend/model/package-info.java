/**
 * What the backend does, without its HTTP: start at
 * {@link dev.sluice.backend.model.Backend}. Its capacity, its faults and delays, its
 * audit and its metrics.
 */
@NullMarked
package dev.sluice.backend.model;

import org.jspecify.annotations.NullMarked;
