/**
 * The topics of Sluice, for every service that uses them. Start at
 * {@link dev.sluice.topics.TopicWatch}.
 */
@NullMarked
package dev.sluice.topics;

import org.jspecify.annotations.NullMarked;
