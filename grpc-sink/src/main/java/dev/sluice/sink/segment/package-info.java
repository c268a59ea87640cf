/**
 * Files of numbered records that outlive a crash, for the log of the server and the spool
 * of the client. Start at {@link dev.sluice.sink.segment.SegmentFormat}.
 */
@NullMarked
package dev.sluice.sink.segment;

import org.jspecify.annotations.NullMarked;
