/**
 * The topics that queued orders go to. Start at
 * {@link dev.sluice.gateway.core.queue.OrderTopics}.
 */
@NullMarked
package dev.sluice.gateway.core.queue;

import org.jspecify.annotations.NullMarked;
