package dev.sluice.threads;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@ExtendWith(OutputCaptureExtension.class)
class SupervisorTests {

	private final Queue<String> failures = new ConcurrentLinkedQueue<>();

	private final Supervisor supervisor = new Supervisor(this.failures::add, Duration.ofMillis(1));

	@Test
	void runsAStepAgainAfterAnyFailure(CapturedOutput output) throws InterruptedException {
		Queue<Throwable> throwing = new ConcurrentLinkedQueue<>(
				List.of(new IllegalStateException("secret.host:9092"), new StackOverflowError()));
		CountDownLatch recovered = new CountDownLatch(2);
		Thread thread = this.supervisor.start("purge", () -> {
			switch (throwing.poll()) {
				case RuntimeException ex -> throw ex;
				case Error ex -> throw ex;
				case null, default -> recovered.countDown();
			}
			return Duration.ZERO;
		});
		recovered.await();
		assertThat(this.failures).containsExactly("purge", "purge");
		assertThat(this.supervisor.health().getDetails()).isEmpty();
		assertThat(output).contains("IllegalStateException", "StackOverflowError").containsOnlyOnce("works again");
		thread.interrupt();
		thread.join();
	}

	@Test
	void saysWhatFailsUntilItSucceeds(CapturedOutput output) {
		Queue<Boolean> results = new ArrayDeque<>(Arrays.asList(false, false, true));
		Runnable guarded = this.supervisor.guard("limits", () -> {
			if (!results.remove()) {
				throw new IllegalStateException("secret.host:9092");
			}
		});
		guarded.run();
		guarded.run();
		Health health = this.supervisor.health();
		assertThat(health.getStatus()).isEqualTo(Status.DOWN);
		assertThat(health.getDetails()).isEqualTo(Map.of("limits", "IllegalStateException"));
		assertThat(this.failures).hasSize(2);
		assertThat(output).as("a task that is run often does not fill the log").containsOnlyOnce("has failed");
		guarded.run();
		assertThat(this.supervisor.health()).isEqualTo(Health.up().build());
	}

	@Test
	void endsWhenItIsInterrupted() throws InterruptedException {
		Thread thread = this.supervisor.start("failing", () -> {
			throw new IllegalStateException();
		});
		await().until(() -> !this.supervisor.health().getDetails().isEmpty());
		thread.interrupt();
		thread.join();
		assertThat(this.supervisor.health().getDetails()).isEmpty();
	}

}
