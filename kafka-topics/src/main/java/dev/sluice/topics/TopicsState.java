package dev.sluice.topics;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * What {@link TopicWatch} saw last.
 *
 * @param ready whether all topics were there, with leaders, when Kafka last answered, and
 * the service was prepared for them; an outage of Kafka leaves it as it is
 * @param ids the topics that are there; a topic that was deleted and created again has
 * another id
 * @param missing names of the topics that are not there
 * @param differences settings of existing topics that are not as specified
 * @param problem why the last look failed, or null
 */
public record TopicsState(boolean ready, Map<String, Uuid> ids, List<String> missing, List<TopicDifference> differences,
		@Nullable String problem) {

	static final TopicsState INITIAL = new TopicsState(false, Map.of(), List.of(), List.of(),
			"Kafka has not answered yet");

	public TopicsState {
		ids = Map.copyOf(ids);
		missing = List.copyOf(missing);
		differences = List.copyOf(differences);
	}

	TopicsState withProblem(@Nullable String value) {
		return new TopicsState(this.ready, this.ids, this.missing, this.differences, value);
	}

	TopicsState withReady(boolean value) {
		return new TopicsState(value, this.ids, this.missing, this.differences, this.problem);
	}

	/** For a health endpoint: what a person wants to know, without what is in order. */
	public Map<String, Object> details() {
		Map<String, Object> details = new LinkedHashMap<>();
		details.put("ready", this.ready);
		if (!this.missing.isEmpty()) {
			details.put("missing", this.missing);
		}
		if (!this.differences.isEmpty()) {
			details.put("differences", this.differences.stream().map(TopicDifference::toString).toList());
		}
		if (this.problem != null) {
			details.put("problem", this.problem);
		}
		return details;
	}

}
