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
 * For how long the brokers keep the states of sessions: they are committed offsets of
 * groups without members. A session that is older would pass for a new one, and its
 * messages would be stored twice.
 */
final class OffsetsRetention {

	private static final Logger logger = LoggerFactory.getLogger(OffsetsRetention.class);

	/** A setting of the brokers. */
	static final String SETTING = "offsets.retention.minutes";

	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	private OffsetsRetention() {
	}

	/**
	 * The age up to which a session is known.
	 * @param admin how to reach the brokers
	 * @param wanted {@code sink.session-age}
	 * @return the age wanted, or the brokers' if that is shorter. Where they do not say,
	 * the log tells to check it
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
			logger.warn("The brokers do not tell their {}: {}. It must be no shorter than sink.session-age, {}",
					SETTING, (ex.getCause() != null) ? ex.getCause().toString() : ex.toString(), wanted);
			return wanted;
		}
	}

	static Duration limit(List<Duration> kept, Duration wanted) {
		Duration least = kept.stream().min(Duration::compareTo).orElse(wanted);
		if (least.compareTo(wanted) >= 0) {
			return wanted;
		}
		logger.warn(
				"The brokers keep a session for {} ({}), which is shorter than sink.session-age, {}. Sessions of that "
						+ "age are refused, and their clients begin new ones; raise {} or lower sink.session-age",
				least, SETTING, wanted, SETTING);
		return least;
	}

}
