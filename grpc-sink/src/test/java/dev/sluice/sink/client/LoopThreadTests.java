package dev.sluice.sink.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import dev.sluice.devservices.Patience;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.awaitility.Awaitility.await;

/** A lost wake-up would leave a task waiting until the time of the test is up. */
@ExtendWith(OutputCaptureExtension.class)
class LoopThreadTests {

	private static final Duration LATER = Duration.ofHours(1);

	private static final Duration WAKE_UP = Patience.ofSeconds(60);

	private final EventLoop loop = LoopThread.start("loop-under-test");

	@AfterEach
	void close() {
		this.loop.close();
	}

	@Test
	void runsTheTasksOfManyThreadsOneAtATimeAndThoseOfEachInTheirOrder() throws Exception {
		int threads = 8;
		int each = 20_000;
		int[] next = new int[threads];
		AtomicInteger outOfOrder = new AtomicInteger();
		CountDownLatch run = new CountDownLatch(threads * each);

		try (ExecutorService senders = Executors.newFixedThreadPool(threads)) {
			IntStream.range(0, threads).forEach((sender) -> senders.execute(() -> {
				for (int i = 0; i < each; i++) {
					int number = i;
					this.loop.execute(() -> {
						if (next[sender]++ != number) {
							outOfOrder.incrementAndGet();
						}
						run.countDown();
					});
				}
			}));
			run.await();
		}

		assertThat(outOfOrder).hasValue(0);
	}

	@Test
	void isWokenByEachTaskThatComesWhileItGoesToSleep() {
		AtomicInteger run = new AtomicInteger();

		for (int round = 1; round <= 100_000; round++) {
			this.loop.execute(run::incrementAndGet);
			long deadline = System.nanoTime() + WAKE_UP.toNanos();
			while (run.get() < round) {
				if (System.nanoTime() - deadline > 0) {
					fail("Not woken in round " + round);
				}
				Thread.onSpinWait();
			}
			// The thread is about to sleep: each task comes at another moment of that.
			for (int i = 0; i < round % 64; i++) {
				Thread.onSpinWait();
			}
		}
	}

	@Test
	void runsTimersInTheOrderOfTheirTimesAndNotBefore() throws Exception {
		List<Integer> run = new ArrayList<>();
		CompletableFuture<Long> last = new CompletableFuture<>();
		long start = this.loop.nanoTime();

		this.loop.execute(() -> {
			this.loop.schedule(Duration.ofMillis(60), () -> {
				run.add(60);
				last.complete(this.loop.nanoTime());
			});
			this.loop.schedule(Duration.ofMillis(20), () -> run.add(20));
			this.loop.schedule(Duration.ofMillis(40), () -> run.add(40));
		});

		assertThat(last.get() - start).isGreaterThanOrEqualTo(Duration.ofMillis(60).toNanos());
		assertThat(run).containsExactly(20, 40, 60);
	}

	@Test
	void wakesForATimerOfAnotherThreadThatIsDueBeforeTheOneItSleepsFor() throws Exception {
		CountDownLatch run = new CountDownLatch(1);
		this.loop.schedule(LATER, () -> {
		});
		Thread thread = threadOf(this.loop);
		await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);

		this.loop.schedule(Duration.ofMillis(1), run::countDown);

		run.await();
	}

	@Test
	void runsATimerWhileThereAreAlwaysTasks() throws Exception {
		AtomicBoolean stop = new AtomicBoolean();
		CountDownLatch run = new CountDownLatch(1);
		again(stop);

		this.loop.schedule(Duration.ofMillis(1), run::countDown);

		run.await();
		stop.set(true);
	}

	private void again(AtomicBoolean stop) {
		this.loop.execute(() -> {
			if (!stop.get()) {
				again(stop);
			}
		});
	}

	@Test
	void goesOnAfterATaskAndATimerThatFailAndLogsBoth(CapturedOutput output) throws Exception {
		CountDownLatch run = new CountDownLatch(1);

		this.loop.execute(() -> {
			throw new IllegalStateException("the task's");
		});
		this.loop.schedule(Duration.ZERO, () -> {
			throw new AssertionError("the timer's");
		});
		this.loop.schedule(Duration.ofMillis(1), run::countDown);

		run.await();
		assertThat(output).contains("A task of loop-under-test has failed", "the task's", "the timer's");
	}

	@Test
	void doesNotLeaveATaskTheInterruptOfTheOneBefore() throws Exception {
		CompletableFuture<Boolean> interrupted = new CompletableFuture<>();

		this.loop.execute(() -> Thread.currentThread().interrupt());
		this.loop.execute(() -> interrupted.complete(Thread.currentThread().isInterrupted()));

		assertThat(interrupted.get()).isFalse();
	}

	@Test
	void closingRunsWhatWasGivenBeforeAndNoTimerAndNothingAfter() throws Exception {
		AtomicInteger run = new AtomicInteger();
		AtomicBoolean unwanted = new AtomicBoolean();
		CountDownLatch release = new CountDownLatch(1);
		Thread thread = threadOf(this.loop);
		this.loop.execute(() -> awaitQuietly(release));
		for (int i = 0; i < 1_000; i++) {
			this.loop.execute(run::incrementAndGet);
		}
		this.loop.execute(() -> this.loop.schedule(Duration.ZERO, () -> unwanted.set(true)));

		Thread closing = Thread.ofVirtual().start(this.loop::close);
		await().until(() -> closing.getState() == Thread.State.TIMED_WAITING);
		this.loop.execute(() -> unwanted.set(true));
		this.loop.schedule(Duration.ZERO, () -> unwanted.set(true));
		release.countDown();
		closing.join();

		assertThat(run).hasValue(1_000);
		assertThat(unwanted).isFalse();
		assertThat(thread.isAlive()).isFalse();
	}

	@Test
	void aTaskThatClosesItIsNotInterruptedAndThoseBehindItAreRun() throws Exception {
		CountDownLatch release = new CountDownLatch(1);
		CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
		AtomicInteger run = new AtomicInteger();
		Thread thread = threadOf(this.loop);
		this.loop.execute(() -> {
			awaitQuietly(release);
			this.loop.close();
			interrupted.complete(Thread.currentThread().isInterrupted());
		});
		this.loop.execute(run::incrementAndGet);

		release.countDown();

		assertThat(interrupted.get()).isFalse();
		thread.join();
		assertThat(run).hasValue(1);
	}

	@Test
	void closesWhileThreadsGiveItTasks() throws Exception {
		AtomicBoolean stop = new AtomicBoolean();
		AtomicInteger run = new AtomicInteger();
		Thread thread = threadOf(this.loop);
		try (ExecutorService senders = Executors.newFixedThreadPool(4)) {
			for (int i = 0; i < 4; i++) {
				senders.execute(() -> {
					while (!stop.get()) {
						this.loop.execute(run::incrementAndGet);
						this.loop.schedule(Duration.ofNanos(1), run::incrementAndGet);
					}
				});
			}
			await().until(() -> run.get() > 10_000);

			this.loop.close();

			boolean alive = thread.isAlive();
			stop.set(true);
			assertThat(alive).isFalse();
		}
	}

	@Test
	void interruptsATaskAndDropsThoseBehindItWhenClosingIsInterrupted() throws Exception {
		CountDownLatch begun = new CountDownLatch(1);
		CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
		AtomicBoolean dropped = new AtomicBoolean(true);
		Thread thread = threadOf(this.loop);
		this.loop.execute(() -> {
			begun.countDown();
			interrupted.complete(!awaitQuietly(new CountDownLatch(1)));
		});
		this.loop.execute(() -> dropped.set(false));
		begun.await();

		Thread.currentThread().interrupt();
		this.loop.close();

		assertThat(Thread.interrupted()).as("it is left to the caller").isTrue();
		assertThat(interrupted.get()).isTrue();
		thread.join();
		assertThat(dropped).isTrue();
	}

	private static Thread threadOf(EventLoop loop) throws Exception {
		CompletableFuture<Thread> thread = new CompletableFuture<>();
		loop.execute(() -> thread.complete(Thread.currentThread()));
		return thread.get();
	}

	/** Returns false if the wait was interrupted. */
	private static boolean awaitQuietly(CountDownLatch latch) {
		try {
			return latch.await(WAKE_UP.toSeconds(), TimeUnit.SECONDS);
		}
		catch (InterruptedException _) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

}
