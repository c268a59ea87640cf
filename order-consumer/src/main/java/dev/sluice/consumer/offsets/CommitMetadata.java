package dev.sluice.consumer.offsets;

import java.util.Arrays;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * The metadata of a committed offset. It names the topics that were read. Kafka stores
 * offsets by topic name, so without the ids the offset of a deleted topic would apply to
 * the topic created in its place.
 *
 * @param topicIds ids of the topics that were read; empty in a commit of another client
 * @param rest metadata that the reader adds
 */
public record CommitMetadata(Set<String> topicIds, String rest) {

	private static final String VERSION = "topics-1:";

	private static final char END = ';';

	public CommitMetadata {
		topicIds = Set.copyOf(topicIds);
	}

	public static CommitMetadata of(Collection<Uuid> topicIds, String rest) {
		return new CommitMetadata(topicIds.stream().map(Uuid::toString).collect(Collectors.toSet()), rest);
	}

	public static CommitMetadata parse(@Nullable String text) {
		int end = (text != null && text.startsWith(VERSION)) ? text.indexOf(END) : -1;
		if (text == null || end < 0) {
			return new CommitMetadata(Set.of(), (text != null) ? text : "");
		}
		return new CommitMetadata(
				Arrays.stream(text.substring(VERSION.length(), end).split(",")).collect(Collectors.toSet()),
				text.substring(end + 1));
	}

	/** Whether the offset belongs to the topic with this id; true if that is unknown. */
	public boolean isOf(@Nullable Uuid id) {
		return id == null || this.topicIds.isEmpty() || this.topicIds.contains(id.toString());
	}

	public String text() {
		return VERSION + String.join(",", new TreeSet<>(this.topicIds)) + END + this.rest;
	}

}
