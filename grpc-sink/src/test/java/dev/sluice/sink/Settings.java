package dev.sluice.sink;

import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

/** Settings of a sink. */
final class Settings {

	private Settings() {
	}

	/**
	 * Returns the defaults with these changes, without validation.
	 * @param changes for example {@code "sink.limits.memory=4000B"}
	 */
	static SinkProperties of(String... changes) {
		Map<String, String> properties = Arrays.stream(changes)
			.map((change) -> change.split("=", 2))
			.collect(Collectors.toMap((change) -> change[0], (change) -> change[1]));
		return new Binder(new MapConfigurationPropertySource(properties)).bindOrCreate("sink", SinkProperties.class);
	}

}
