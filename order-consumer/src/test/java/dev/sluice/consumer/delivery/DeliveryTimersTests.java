package dev.sluice.consumer.delivery;

import java.time.Duration;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class DeliveryTimersTests {

	/** The clock of the gateway that accepted the order is ahead. */
	@Test
	void ignoresANegativeDurationSilently(CapturedOutput output) {
		SimpleMeterRegistry registry = new SimpleMeterRegistry();

		new DeliveryTimers(registry).saved(Duration.ofMinutes(-67));

		assertThat(output).doesNotContain("negative");
		assertThat(registry.find("sluice.accept.to.saved").timers()).allMatch((timer) -> timer.count() == 0);
	}

}
