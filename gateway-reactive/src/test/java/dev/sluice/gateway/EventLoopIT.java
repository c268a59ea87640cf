package dev.sluice.gateway;

import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

import dev.sluice.contract.GatewayEdgeContract;
import dev.sluice.devservices.Patience;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import reactor.netty.resources.LoopResources;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Shows that a blocked event loop is detected, so that the other tests prove something.
 */
@ResourceLock(GatewayEdgeContract.JVM)
class EventLoopIT {

	private static final Duration PATIENCE = Patience.ofSeconds(60);

	private static LoopResources loops;

	@BeforeAll
	static void detect() {
		BlockedEventLoops.detect();
		loops = LoopResources.create("blocked", 1, true);
	}

	@AfterEach
	void forget() {
		BlockedEventLoops.found();
	}

	@AfterAll
	static void dispose() {
		if (loops != null) {
			loops.dispose();
		}
	}

	@Test
	void findsASleep() {
		assertThat(run(() -> Thread.sleep(Duration.ofMillis(1)))).succeedsWithin(PATIENCE);
		assertThat(BlockedEventLoops.found()).isNotEmpty();
	}

	@Test
	void findsAWaitForAFuture() {
		CompletableFuture<String> future = new CompletableFuture<>();

		assertFoundWhileWaiting(() -> future.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS),
				() -> future.complete(""));
	}

	@Test
	void findsAWaitForALock() {
		ReentrantLock lock = new ReentrantLock();
		lock.lock();

		assertFoundWhileWaiting(() -> {
			lock.lock();
			lock.unlock();
		}, lock::unlock);
	}

	@Test
	void findsAWaitForAnElementOfAQueue() {
		BlockingQueue<String> queue = new ArrayBlockingQueue<>(1);

		assertFoundWhileWaiting(() -> queue.poll(PATIENCE.toMillis(), TimeUnit.MILLISECONDS), () -> queue.add(""));
	}

	@Test
	void findsNothingWhereNothingBlocks() {
		assertThat(run(() -> CompletableFuture.completedFuture("").get())).succeedsWithin(PATIENCE);
		assertThat(BlockedEventLoops.found()).isEmpty();
	}

	/**
	 * A wait that may be over before it has begun blocks nothing, so this one lasts until
	 * it is found.
	 */
	private static void assertFoundWhileWaiting(Blocking wait, Runnable end) {
		CompletableFuture<Void> done = run(wait);
		try {
			await().until(() -> !BlockedEventLoops.found().isEmpty());
			assertThat(done).isNotDone();
		}
		finally {
			end.run();
		}
		assertThat(done).succeedsWithin(PATIENCE);
	}

	private static CompletableFuture<Void> run(Blocking task) {
		CompletableFuture<Void> done = new CompletableFuture<>();
		loops.onServer(false).execute(() -> {
			try {
				task.run();
				done.complete(null);
			}
			catch (Throwable failure) {
				done.completeExceptionally(failure);
			}
		});
		return done;
	}

	@FunctionalInterface
	private interface Blocking {

		void run() throws Exception;

	}

}
