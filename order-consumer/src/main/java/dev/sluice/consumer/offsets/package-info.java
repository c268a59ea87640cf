/**
 * The progress of each partition: where a reader starts
 * ({@link dev.sluice.consumer.offsets.ReadPositions}), what it commits
 * ({@link dev.sluice.consumer.offsets.PartitionProgress}), what was lost, and what may be
 * deleted.
 */
@NullMarked
package dev.sluice.consumer.offsets;

import org.jspecify.annotations.NullMarked;
