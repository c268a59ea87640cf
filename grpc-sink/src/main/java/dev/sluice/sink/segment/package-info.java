/**
 * Files of numbered records that survive a crash, for the client's spool. Start at
 * {@link dev.sluice.sink.segment.SegmentFormat}.
 */
@NullMarked
package dev.sluice.sink.segment;

import org.jspecify.annotations.NullMarked;
