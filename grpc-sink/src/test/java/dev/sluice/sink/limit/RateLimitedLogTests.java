package dev.sluice.sink.limit;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class RateLimitedLogTests {

	private final AtomicLong nanoTime = new AtomicLong(-5);

	private final RateLimitedLog log = new RateLimitedLog(LoggerFactory.getLogger(RateLimitedLogTests.class),
			Duration.ofSeconds(10), this.nanoTime::get);

	@Test
	void writesOneLineAnIntervalAndSaysHowManyItLeftOut(CapturedOutput output) {
		for (int i = 0; i < 1_000; i++) {
			this.log.warn("Number %s", i);
		}
		assertThat(output.getAll().lines().filter((line) -> line.contains("Number"))).singleElement()
			.asString()
			.endsWith("Number 0");

		this.nanoTime.addAndGet(Duration.ofSeconds(10).toNanos());
		this.log.warn("Number %s", 1_000);

		assertThat(output.getAll()).contains("Number 1000 (999 similar lines suppressed)");
	}

}
