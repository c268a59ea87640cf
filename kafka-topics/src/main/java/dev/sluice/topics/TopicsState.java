package dev.sluice.topics;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * The topics at the last check of {@link TopicWatch}.
 *
 * @param ready whether all topics existed and had leaders when Kafka last answered, and
 * the preparation has run; an outage of Kafka does not change it
 * @param ids ids of the existing topics; a topic that was deleted and created again has
 * another id
 * @param missing names of the missing topics
 * @param differences the settings of existing topics that differ from their
 * specifications, each with what an operator can do about it
 * @param problem why the last check failed, or null
 */
public record TopicsState(boolean ready, Map<String, Uuid> ids, List<String> missing, List<String> differences,
		@Nullable String problem) {

	static final TopicsState INITIAL = new TopicsState(false, Map.of(), List.of(), List.of(),
			"Kafka has not answered yet");

	public TopicsState {
		ids = Map.copyOf(ids);
		missing = List.copyOf(missing);
		differences = List.copyOf(differences);
	}

	/** Details for a health endpoint. Empty lists are left out. */
	public Map<String, Object> details() {
		Map<String, Object> details = new LinkedHashMap<>();
		details.put("ready", this.ready);
		if (!this.missing.isEmpty()) {
			details.put("missing", this.missing);
		}
		if (!this.differences.isEmpty()) {
			details.put("differences", this.differences);
		}
		if (this.problem != null) {
			details.put("problem", this.problem);
		}
		return details;
	}

}
