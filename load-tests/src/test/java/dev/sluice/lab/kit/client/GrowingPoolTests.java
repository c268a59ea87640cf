package dev.sluice.lab.kit.client;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class GrowingPoolTests {

	private static final long NEVER_MILLIS = Duration.ofHours(1).toMillis();

	private final CountDownLatch release = new CountDownLatch(1);

	@Test
	void growsByOneThreadWhileTasksWait() {
		try (GrowingPool pool = new GrowingPool(2, NEVER_MILLIS)) {
			for (int i = 0; i < 10; i++) {
				pool.execute(this::block);
			}
			assertThat(pool.size()).isEqualTo(2);

			pool.grow();
			pool.grow();

			assertThat(pool.size()).isEqualTo(4);
		}
	}

	@Test
	void doesNotGrowWhileNoTaskWaits() {
		try (GrowingPool pool = new GrowingPool(2, NEVER_MILLIS)) {
			pool.execute(this::block);
			pool.execute(this::block);

			pool.grow();

			assertThat(pool.size()).isEqualTo(2);
		}
	}

	private void block() {
		try {
			this.release.await();
		}
		catch (InterruptedException _) {
			Thread.currentThread().interrupt();
		}
	}

}
