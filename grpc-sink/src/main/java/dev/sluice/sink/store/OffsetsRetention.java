package dev.sluice.sink.store;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.config.ConfigResource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out how long the brokers keep the states of sessions, which are committed offsets
 * of groups without members. An older session would look like a new one, and its messages
 * would be stored twice.
 */
final class OffsetsRetention {

	private static final Logger logger = LoggerFactory.getLogger(OffsetsRetention.class);

	/** The brokers' setting. */
	static final String SETTING = "offsets.retention.minutes";

	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	private OffsetsRetention() {
	}

	/**
	 * Returns the age up to which a session is remembered.
	 * @param admin configuration of an admin client
	 * @param wanted {@code sink.sessions.age}
	 * @return the smaller of the wanted age and the brokers' setting. If the setting
	 * cannot be read, logs a warning and returns the wanted age
	 */
	static Duration limit(Map<String, Object> admin, Duration wanted) throws InterruptedException {
		try (Admin client = Admin.create(admin)) {
			List<ConfigResource> brokers = client.describeCluster()
				.nodes()
				.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
				.stream()
				.map((node) -> new ConfigResource(ConfigResource.Type.BROKER, node.idString()))
				.toList();
			List<Duration> kept = client.describeConfigs(brokers)
				.all()
				.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
				.values()
				.stream()
				.map((config) -> Duration.ofMinutes(Long.parseLong(config.get(SETTING).value())))
				.toList();
			return limit(kept, wanted);
		}
		catch (ExecutionException | TimeoutException | RuntimeException ex) {
			logger.warn("The brokers' {} cannot be read: {}. It must be at least sink.sessions.age, {}", SETTING,
					(ex.getCause() != null) ? ex.getCause().toString() : ex.toString(), wanted);
			return wanted;
		}
	}

	static Duration limit(List<Duration> kept, Duration wanted) {
		Duration least = kept.stream().min(Duration::compareTo).orElse(wanted);
		if (least.compareTo(wanted) >= 0) {
			return wanted;
		}
		logger.warn(
				"The brokers keep a session for {} ({}), which is shorter than sink.sessions.age, {}. Older sessions "
						+ "are refused, and their clients begin new ones; raise {} or lower sink.sessions.age",
				least, SETTING, wanted, SETTING);
		return least;
	}

}
