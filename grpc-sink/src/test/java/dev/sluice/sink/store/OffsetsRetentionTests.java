package dev.sluice.sink.store;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.apache.kafka.clients.admin.AdminClientConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class OffsetsRetentionTests {

	private static final Duration WANTED = Duration.ofDays(6);

	@Test
	void warnsIfABrokerForgetsEarlierAndTakesItsAge(CapturedOutput output) {
		assertThat(OffsetsRetention.limit(List.of(Duration.ofDays(7), Duration.ofHours(24)), WANTED))
			.isEqualTo(Duration.ofHours(24));
		assertThat(output)
			.contains("PT24H (offsets.retention.minutes), which is shorter than sink.sessions.age, PT144H");
	}

	@Test
	void saysNothingIfAllKeepSessionsLongEnough(CapturedOutput output) {
		assertThat(OffsetsRetention.limit(List.of(Duration.ofDays(7), WANTED), WANTED)).isEqualTo(WANTED);
		assertThat(output).doesNotContain("offsets.retention.minutes");
	}

	@Test
	void warnsIfTheBrokersDoNotTell(CapturedOutput output) throws Exception {
		assertThat(OffsetsRetention.limit(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, "127.0.0.1:1",
				AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, 100, AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, 200),
				WANTED))
			.isEqualTo(WANTED);
		assertThat(output).contains("offsets.retention.minutes cannot be read");
	}

}
