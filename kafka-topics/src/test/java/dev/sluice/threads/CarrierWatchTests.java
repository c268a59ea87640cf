package dev.sluice.threads;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

import jdk.management.VirtualThreadSchedulerMXBean;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class CarrierWatchTests {

	private static final Duration PATIENCE = Duration.ofMinutes(5);

	private static final CountDownLatch FREE = new CountDownLatch(1);

	private final VirtualThreadSchedulerMXBean scheduler = ManagementFactory
		.getPlatformMXBean(VirtualThreadSchedulerMXBean.class);

	/**
	 * A thread that initializes a class, or waits until another has, keeps its carrier.
	 */
	static final class Held {

		static {
			try {
				FREE.await();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

		private Held() {
		}

		static void use() {
			// Initializes the class.
		}

	}

	@Test
	void freesThreadsThatHoldAllCarriersAndWaitForOneThatHasNone() throws Exception {
		int carriers = this.scheduler.getParallelism();
		List<Thread> holding = Stream.generate(() -> Thread.startVirtualThread(Held::use))
			.limit(20L + carriers)
			.toList();
		await().until(() -> this.scheduler.getMountedVirtualThreadCount() >= carriers);
		Thread last = Thread.startVirtualThread(FREE::countDown);

		new CarrierWatch(Duration.ofMillis(10)).look();

		assertThat(last.join(PATIENCE)).isTrue();
		for (Thread thread : holding) {
			assertThat(thread.join(PATIENCE)).isTrue();
		}
		assertThat(this.scheduler.getParallelism()).isEqualTo(carriers);
	}

}
