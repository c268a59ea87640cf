/**
 * The backend without HTTP: its capacity, its faults and delays, its stores, its audit
 * and its metrics. Start at {@link dev.sluice.backend.model.Backend}.
 */
@NullMarked
package dev.sluice.backend.model;

import org.jspecify.annotations.NullMarked;
