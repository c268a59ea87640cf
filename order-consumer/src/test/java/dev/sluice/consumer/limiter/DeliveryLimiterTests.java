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
import io.github.resilience4j.circuitbreaker.CircuitBreaker.State;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class DeliveryLimiterTests {

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
	void admitsFewerAfterAnOutage() throws InterruptedException {
		DeliveryLimiter limiter = limiter(100, Duration.ofSeconds(2));
		grow(limiter, 100);
		for (int i = 0; i < 100; i++) {
			limiter.acquire();
		}
		for (int i = 0; i < 100; i++) {
			limiter.release(FAILED, 0);
		}
		assertThat(limiter.circuit()).isEqualTo(State.OPEN);
		assertThat(limiter.outages()).isEqualTo(1);
		assertThat(limiter.limit()).isEqualTo(1);

		AtomicInteger entered = enterLater(limiter, 200);
		this.nanos.addAndGet(Duration.ofSeconds(3).toNanos());
		for (int i = 1; i <= 2; i++) {
			int trial = i;
			await().until(() -> entered.get() == trial);
			assertThat(limiter.inFlight()).as("one trial at a time").isEqualTo(1);
			limiter.release(SAVED, this.nanos.get());
		}

		await().until(() -> limiter.inFlight() == limiter.limit());
		assertThat(limiter.limit()).as("as the circuit breaker closes, not all come at once").isLessThan(4);
	}

	@Test
	void aTrialThatIsGivenBackGoesToOneThatWaits() throws InterruptedException {
		DeliveryLimiter limiter = limiter(100, Duration.ofHours(1));
		open(limiter);
		this.nanos.addAndGet(Duration.ofHours(2).toNanos());
		limiter.acquire();
		AtomicInteger entered = enterLater(limiter, 4);
		await().until(() -> this.asked.get() > 3);
		assertThat(entered).hasValue(0);

		limiter.release();
		await().until(() -> entered.get() == 1);
		limiter.release(THROTTLED, this.nanos.get());
		await().until(() -> entered.get() == 2);
		limiter.release(SAVED, this.nanos.get());
		await().until(() -> entered.get() == 3);
		limiter.release(SAVED, this.nanos.get());

		await().until(() -> entered.get() == 4);
	}

	@Test
	void givesBackThePermitOfOneThatIsInterruptedWhileItWaits() throws InterruptedException {
		DeliveryLimiter limiter = limiter(1, Duration.ofHours(1));
		open(limiter);
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

	private static void open(DeliveryLimiter limiter) throws InterruptedException {
		for (int i = 0; i < 3; i++) {
			limiter.release(FAILED, limiter.acquire());
		}
		assertThat(limiter.circuit()).isEqualTo(State.OPEN);
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
		return new DeliveryLimiter(concurrency, new BackendHealth(circuit(openFor), Duration.ofSeconds(1), () -> {
			this.asked.incrementAndGet();
			return this.nanos.get();
		}), new SetTime(this.nanos));
	}

	private static BackendProperties.Circuit circuit(Duration openFor) {
		return new BackendProperties.Circuit(3, 100, Duration.ofSeconds(10), 1_000, openFor, 2);
	}

}
