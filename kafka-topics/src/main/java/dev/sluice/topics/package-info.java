/**
 * The topics of Sluice, for every service that uses them. Start at
 * {@link dev.sluice.topics.TopicWatch}; {@link dev.sluice.topics.OrderTopicSpecs}
 * specifies the topics of orders.
 */
@NullMarked
package dev.sluice.topics;

import org.jspecify.annotations.NullMarked;
