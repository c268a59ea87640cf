package dev.sluice.consumer.limiter;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import dev.sluice.consumer.SetTime;
import dev.sluice.consumer.Time;
import dev.sluice.consumer.backend.Attempt;
import dev.sluice.consumer.backend.Attempt.RetryLater;
import dev.sluice.consumer.backend.Attempt.Saved;
import dev.sluice.consumer.backend.Attempt.Throttled;
import dev.sluice.consumer.backend.BackendProperties;
import dev.sluice.consumer.backend.Explanation;
import io.github.resilience4j.circuitbreaker.CircuitBreaker.State;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@Timeout(30)
class GateTests {

	private static final Attempt SAVED = new Saved(null);

	private static final Attempt FAILED = new RetryLater(Explanation.failed(500, "500"), true);

	private static final Attempt THROTTLED = new Throttled(Explanation.throttled("429"), Duration.ZERO);

	private final AtomicLong nanos = new AtomicLong();

	private final AtomicInteger asked = new AtomicInteger();

	@Test
	void admitsFewerWhileTheBackendThrottlesAndAllAgainLater() throws InterruptedException {
		Gate gate = gate(10, Duration.ofHours(1));
		for (int i = 0; i < 10; i++) {
			gate.enter();
		}
		gate.leave(THROTTLED, 0);
		assertThat(gate.limit()).isEqualTo(7);
		AtomicInteger entered = enterLater(gate, 80);
		// These began before it had shrunk.
		gate.leave(THROTTLED, -1);
		gate.leave(THROTTLED, -1);
		assertThat(gate.limit()).isEqualTo(7);
		assertThat(gate.inside()).isEqualTo(7);
		assertThat(entered).as("three places are gone").hasValue(0);

		gate.leave(FAILED, 0);
		await().until(() -> entered.get() == 1);
		for (int i = 0; i < 40; i++) {
			gate.leave(SAVED, 0);
			await().until(() -> gate.inside() == gate.limit());
		}

		assertThat(gate.limit()).isEqualTo(10);
		assertThat(entered).as("each went in as one came out, and three more").hasValue(1 + 40 + 3);
	}

	@Test
	void givesBackThePlaceOfOneThatWasNotTried() throws InterruptedException {
		Gate gate = gate(1, Duration.ofHours(1));
		for (int i = 0; i < 10; i++) {
			gate.enter();
			gate.leave();
		}

		assertThat(gate.inside()).isZero();
		assertThat(gate.limit()).isEqualTo(1);
	}

	@Test
	void orderThatWaitsForTheCircuitSleepsUntilItChanges() throws InterruptedException {
		BackendProperties.Circuit circuit = circuit(Duration.ofSeconds(2));
		Gate gate = new Gate(100, new BackendHealth(circuit, Duration.ofSeconds(1), () -> {
			this.asked.incrementAndGet();
			return System.nanoTime();
		}), Time.SYSTEM);
		open(gate);
		this.asked.set(0);

		AtomicInteger entered = enterLater(gate, 50);
		await().until(() -> entered.get() == 2);
		gate.leave(SAVED, System.nanoTime());
		gate.leave(SAVED, System.nanoTime());
		await().until(() -> entered.get() == 50);

		// Each reads the clock a few times: as it comes, when the trial is due, and at
		// each change. By looking every 50 ms each would have read it 40 times.
		assertThat(this.asked.get()).isLessThan(50 * 10);
		assertThat(gate.circuit()).isEqualTo(State.CLOSED);
	}

	@Test
	void aTrialThatIsGivenBackGoesToOneThatWaits() throws InterruptedException {
		Gate gate = gate(100, Duration.ofHours(1));
		open(gate);
		this.nanos.addAndGet(Duration.ofHours(2).toNanos());
		gate.enter();
		gate.enter();
		AtomicInteger entered = enterLater(gate, 3);
		await().until(() -> this.asked.get() > 3);
		assertThat(entered).hasValue(0);

		gate.leave();
		await().until(() -> entered.get() == 1);
		gate.leave(THROTTLED, this.nanos.get());
		await().until(() -> entered.get() == 2);
		gate.leave(SAVED, this.nanos.get());
		gate.leave(SAVED, this.nanos.get());

		await().until(() -> entered.get() == 3);
	}

	private static void open(Gate gate) throws InterruptedException {
		for (int i = 0; i < 3; i++) {
			gate.leave(FAILED, gate.enter());
		}
		assertThat(gate.circuit()).isEqualTo(State.OPEN);
	}

	private static AtomicInteger enterLater(Gate gate, int orders) {
		AtomicInteger entered = new AtomicInteger();
		List<Thread> threads = new ArrayList<>();
		for (int i = 0; i < orders; i++) {
			threads.add(Thread.ofVirtual().start(() -> {
				try {
					gate.enter();
					entered.incrementAndGet();
				}
				catch (InterruptedException ex) {
					throw new AssertionError(ex);
				}
			}));
		}
		return entered;
	}

	private Gate gate(int concurrency, Duration openFor) {
		return new Gate(concurrency, new BackendHealth(circuit(openFor), Duration.ofSeconds(1), () -> {
			this.asked.incrementAndGet();
			return this.nanos.get();
		}), new SetTime(this.nanos));
	}

	private static BackendProperties.Circuit circuit(Duration openFor) {
		return new BackendProperties.Circuit(3, 100, Duration.ofSeconds(10), 1_000, openFor, 2);
	}

}
