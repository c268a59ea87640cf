package dev.sluice.gateway;

import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;

import dev.sluice.contract.GatewayEdgeContract;
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

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private static final LoopResources LOOPS = LoopResources.create("blocked", 1, true);

	@BeforeAll
	static void detect() {
		BlockedEventLoops.detect();
	}

	@AfterEach
	void forget() {
		BlockedEventLoops.found();
	}

	@AfterAll
	static void dispose() {
		LOOPS.dispose();
	}

	@Test
	void findsASleep() {
		assertThat(run(() -> Thread.sleep(Duration.ofMillis(1)))).succeedsWithin(PATIENCE);
		assertThat(BlockedEventLoops.found()).isNotEmpty();
	}

	@Test
	void findsAWaitForAFuture() {
		assertThat(run(() -> new CompletableFuture<>().get(1, TimeUnit.MILLISECONDS))).failsWithin(PATIENCE)
			.withThrowableThat()
			.withCauseInstanceOf(TimeoutException.class);
		assertThat(BlockedEventLoops.found()).isNotEmpty();
	}

	@Test
	void findsAWaitForALock() {
		ReentrantLock lock = new ReentrantLock();
		lock.lock();
		CompletableFuture<Void> done = run(() -> {
			lock.lock();
			lock.unlock();
		});
		await().atMost(PATIENCE).until(lock::hasQueuedThreads);
		lock.unlock();

		assertThat(done).succeedsWithin(PATIENCE);
		assertThat(BlockedEventLoops.found()).isNotEmpty();
	}

	@Test
	void findsAWaitForAnElementOfAQueue() {
		assertThat(run(() -> new ArrayBlockingQueue<>(1).poll(1, TimeUnit.MILLISECONDS))).succeedsWithin(PATIENCE);
		assertThat(BlockedEventLoops.found()).isNotEmpty();
	}

	@Test
	void findsNothingWhereNothingBlocks() {
		assertThat(run(() -> CompletableFuture.completedFuture("").get())).succeedsWithin(PATIENCE);
		assertThat(BlockedEventLoops.found()).isEmpty();
	}

	private static CompletableFuture<Void> run(Blocking task) {
		CompletableFuture<Void> done = new CompletableFuture<>();
		LOOPS.onServer(false).execute(() -> {
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
