/**
 * The topics of Sluice, for every service that uses them. Start at
 * {@link dev.sluice.topics.TopicWatch}; {@link dev.sluice.topics.OrderTopicSpecs} says
 * what the topics of orders are to be like.
 */
@NullMarked
package dev.sluice.topics;

import org.jspecify.annotations.NullMarked;
