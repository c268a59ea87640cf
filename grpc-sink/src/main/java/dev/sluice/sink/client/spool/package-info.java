/**
 * Keeps messages until the sink has them: in memory, or in the segments of a directory,
 * files of numbered records that survive a crash. Start at
 * {@link dev.sluice.sink.client.spool.Spool}, then
 * {@link dev.sluice.sink.client.spool.SegmentQueue}.
 */
@NullMarked
package dev.sluice.sink.client.spool;

import org.jspecify.annotations.NullMarked;
