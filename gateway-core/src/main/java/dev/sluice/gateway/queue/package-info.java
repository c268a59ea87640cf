/**
 * The topics that queued orders go to. Start at
 * {@link dev.sluice.gateway.queue.OrderTopics}.
 */
@NullMarked
package dev.sluice.gateway.queue;

import org.jspecify.annotations.NullMarked;
