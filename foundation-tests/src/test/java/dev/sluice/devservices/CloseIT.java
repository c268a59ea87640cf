package dev.sluice.devservices;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Nothing is left after a close. Runs alone, because it looks at all children of this
 * JVM.
 */
@Tag("embedded")
@Isolated
class CloseIT {

	private static final Duration TIMEOUT = Patience.ofSeconds(60);

	/** Starts a Kafka for it. {@link DevServicesIT} looks for embedded servers. */
	@Test
	@Tag("full")
	void nothingIsLeftAfterCloseThoughTheServersAreFrozen() {
		List<Long> before = descendants();
		int kafkaPort = Ports.free();
		int postgresPort = Ports.free();
		try (DevServices services = DevServices.start(DevServices.shared().infrastructure(), List.of(kafkaPort),
				postgresPort)) {
			assertThat(services.kafka().bootstrapServers()).endsWith(":" + kafkaPort);
			assertThat(services.postgres().jdbcUrl()).contains(":%s/".formatted(postgresPort));
			services.kafka().brokers().getFirst().freeze();
			services.postgres().server().freeze();
		}

		await().until(() -> before.containsAll(descendants()));
		await().until(() -> Ports.isFree(kafkaPort) && Ports.isFree(postgresPort));
	}

	@Test
	void closeEndsAStartInProgress() throws InterruptedException {
		int port = Ports.free();
		List<Long> before = descendants();
		AtomicReference<RuntimeException> failure = new AtomicReference<>();
		Thread starting;
		try (DevServices services = DevServices.start(Infrastructure.EMBEDDED, List.of(0), port)) {
			starting = Thread.ofVirtual().start(() -> {
				try {
					services.postgres();
				}
				catch (RuntimeException ex) {
					failure.set(ex);
				}
			});
			await().until(() -> !before.containsAll(descendants()));
		}

		assertThat(starting.join(TIMEOUT)).isTrue();
		assertThat(failure.get()).isInstanceOf(StartFailedException.class);
		assertThat(before).containsAll(descendants());
		assertThat(Ports.isFree(port)).isTrue();
	}

	/** The child JVMs, without the reaper, which lives as long as this JVM. */
	private static List<Long> descendants() {
		return ProcessHandle.current()
			.descendants()
			.filter((process) -> process.info().command().orElse("").endsWith("/java"))
			.map(ProcessHandle::pid)
			.toList();
	}

}
