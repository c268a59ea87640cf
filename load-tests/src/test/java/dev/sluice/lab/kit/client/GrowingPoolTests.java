package dev.sluice.lab.kit.client;

import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class GrowingPoolTests {

	private static final long NEVER_MILLIS = Duration.ofHours(1).toMillis();

	private final GrowingPool pool = new GrowingPool(2, NEVER_MILLIS);

	@AfterEach
	void stop() {
		this.pool.shutdownNow();
	}

	@Test
	void growsByOneThreadWhileTasksWait() {
		for (int i = 0; i < 10; i++) {
			this.pool.execute(GrowingPoolTests::block);
		}
		assertThat(this.pool.getPoolSize()).isEqualTo(2);

		this.pool.grow();
		this.pool.grow();

		assertThat(this.pool.getPoolSize()).isEqualTo(4);
	}

	@Test
	void doesNotGrowWhileNoTaskWaits() {
		this.pool.execute(GrowingPoolTests::block);
		this.pool.execute(GrowingPoolTests::block);

		this.pool.grow();

		assertThat(this.pool.getPoolSize()).isEqualTo(2);
	}

	private static void block() {
		try {
			Thread.sleep(Duration.ofHours(1));
		}
		catch (InterruptedException _) {
			Thread.currentThread().interrupt();
		}
	}

}
