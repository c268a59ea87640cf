package dev.sluice.consumer.limiter;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import dev.sluice.consumer.SetTime;
import dev.sluice.consumer.backend.Attempt;
import dev.sluice.consumer.backend.Attempt.Reach;
import dev.sluice.consumer.backend.Attempt.RetryLater;
import dev.sluice.consumer.backend.Attempt.Saved;
import dev.sluice.consumer.backend.Attempt.Throttled;
import dev.sluice.consumer.backend.BackendProperties;
import dev.sluice.consumer.backend.FailureReason;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class DeliveryLimiterTests {

	private static final Duration OPEN_AFTER = Duration.ofSeconds(2);

	private static final Attempt SAVED = new Saved(null);

	private static final Attempt FAILED = new RetryLater(FailureReason.failed(500, "500"), Reach.ANSWERED);

	private static final Attempt THROTTLED = new Throttled(FailureReason.throttled("429"), Duration.ZERO);

	private final AtomicLong nanos = new AtomicLong();

	private final AtomicInteger asked = new AtomicInteger();

	@Test
	void admitsFewerWhileTheBackendThrottlesAndAllAgainLater() throws InterruptedException {
		DeliveryLimiter limiter = limiter(10, Duration.ofHours(1));
		grow(limiter, 10);
		for (int i = 0; i < 10; i++) {
			limiter.acquire();
		}
		limiter.release(THROTTLED, 0);
		assertThat(limiter.limit()).isEqualTo(8);
		AtomicInteger entered = enterLater(limiter, 80);
		// This attempt began before the limit shrank.
		limiter.release(THROTTLED, -1);
		assertThat(limiter.limit()).isEqualTo(8);
		assertThat(limiter.inFlight()).isEqualTo(8);
		assertThat(entered).as("two places are gone").hasValue(0);

		limiter.release(FAILED, 0);
		await().until(() -> entered.get() == 1);
		for (int i = 0; i < 40; i++) {
			limiter.release(SAVED, 0);
			await().until(() -> limiter.inFlight() == limiter.limit());
		}

		assertThat(limiter.limit()).isEqualTo(10);
		assertThat(entered).as("one entered for each that left, and two more").hasValue(1 + 40 + 2);
	}

	@Test
	void admitsOneAtATimeInAnOutageAndFewerAfterIt() throws InterruptedException {
		DeliveryLimiter limiter = limiter(100, Duration.ofMillis(10));
		grow(limiter, 100);
		for (int i = 0; i < 100; i++) {
			limiter.acquire();
		}
		for (int i = 0; i < 100; i++) {
			limiter.release(FAILED, 0);
		}
		AtomicInteger entered = enterLater(limiter, 200);
		await().until(() -> entered.get() == 100);
		this.nanos.addAndGet(OPEN_AFTER.toNanos());
		for (int i = 0; i < 99; i++) {
			limiter.release(FAILED, 0);
		}
		assertThat(limiter.isOpen()).isTrue();
		assertThat(limiter.limit()).isEqualTo(1);
		assertThat(entered).hasValue(100);

		for (int i = 1; i <= 5; i++) {
			limiter.release(FAILED, this.nanos.get());
			this.nanos.addAndGet(Duration.ofSeconds(6).toNanos());
			int trial = i;
			await().until(() -> entered.get() == 100 + trial);
			assertThat(limiter.inFlight()).as("one trial at a time").isEqualTo(1);
		}
		limiter.release(SAVED, this.nanos.get());

		await().until(() -> limiter.inFlight() == limiter.limit());
		assertThat(limiter.limit()).as("half of it for each ten seconds").isEqualTo(10);
	}

	@Test
	void aThrottledTrialIsFollowedByAnother() throws InterruptedException {
		DeliveryLimiter limiter = limiter(100, Duration.ofHours(1));
		open(limiter);
		this.nanos.addAndGet(Duration.ofHours(2).toNanos());
		limiter.acquire();
		AtomicInteger entered = enterLater(limiter, 4);

		limiter.release(THROTTLED, this.nanos.get());
		await().until(() -> entered.get() == 1);
		limiter.release(SAVED, this.nanos.get());

		await().until(() -> entered.get() > 1);
	}

	@Test
	void givesBackThePermitOfOneThatIsInterruptedWhileItWaits() throws InterruptedException {
		DeliveryLimiter limiter = limiter(1, Duration.ofHours(1));
		open(limiter);
		this.nanos.addAndGet(Duration.ofHours(2).toNanos());
		limiter.release(FAILED, limiter.acquire());
		CountDownLatch interrupted = new CountDownLatch(1);
		this.asked.set(0);
		Thread waiting = Thread.ofVirtual().start(() -> {
			try {
				limiter.acquire();
			}
			catch (InterruptedException ex) {
				interrupted.countDown();
			}
		});
		await().until(() -> this.asked.get() > 0);

		waiting.interrupt();
		interrupted.await();

		assertThat(limiter.inFlight()).isZero();
		this.nanos.addAndGet(Duration.ofHours(2).toNanos());
		// Blocks forever if the permit is lost.
		limiter.acquire();
		assertThat(limiter.inFlight()).isEqualTo(1);
	}

	private static void grow(DeliveryLimiter limiter, int limit) throws InterruptedException {
		while (limiter.limit() < limit) {
			int orders = limiter.limit();
			for (int k = 0; k < orders; k++) {
				limiter.acquire();
			}
			for (int k = 0; k < orders; k++) {
				limiter.release(SAVED, 0);
			}
		}
	}

	private void open(DeliveryLimiter limiter) throws InterruptedException {
		for (int i = 0; i < 10; i++) {
			limiter.release(FAILED, limiter.acquire());
		}
		this.nanos.addAndGet(OPEN_AFTER.toNanos());
		limiter.release(FAILED, limiter.acquire());
		assertThat(limiter.isOpen()).isTrue();
	}

	private static AtomicInteger enterLater(DeliveryLimiter limiter, int orders) {
		AtomicInteger entered = new AtomicInteger();
		List<Thread> threads = new ArrayList<>();
		for (int i = 0; i < orders; i++) {
			threads.add(Thread.ofVirtual().start(() -> {
				try {
					limiter.acquire();
					entered.incrementAndGet();
				}
				catch (InterruptedException ex) {
					throw new AssertionError(ex);
				}
			}));
		}
		return entered;
	}

	private DeliveryLimiter limiter(int concurrency, Duration openFor) {
		BackendProperties.Circuit circuit = new BackendProperties.Circuit(OPEN_AFTER, openFor);
		return new DeliveryLimiter(concurrency, new BackendHealth(circuit, Duration.ofSeconds(1), () -> {
			this.asked.incrementAndGet();
			return this.nanos.get();
		}), new SetTime(this.nanos));
	}

}
