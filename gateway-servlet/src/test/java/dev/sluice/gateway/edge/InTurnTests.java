package dev.sluice.gateway.edge;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import dev.sluice.devservices.Patience;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class InTurnTests {

	@Test
	void letsWhatGoesOnRunBeforeMostOfWhatIsNew() {
		Queue<Runnable> processors = new ArrayDeque<>();
		List<String> ran = new ArrayList<>();
		InTurn inTurn = new InTurn(processors::add, 1);
		for (int i = 0; i < 3; i++) {
			String name = "new " + i;
			inTurn.execute(() -> {
				ran.add(name);
				processors.add(() -> ran.add(name + " goes on"));
			});
		}

		assertThat(processors).hasSize(1);
		while (!processors.isEmpty()) {
			processors.remove().run();
		}

		assertThat(ran).containsExactly("new 0", "new 1", "new 0 goes on", "new 2", "new 1 goes on", "new 2 goes on");
	}

	@Test
	void goesOnOnceThreadsCanBeStartedAgain() {
		Queue<Runnable> processors = new ArrayDeque<>();
		List<String> ran = new ArrayList<>();
		AtomicBoolean exhausted = new AtomicBoolean();
		InTurn inTurn = new InTurn((thread) -> {
			if (exhausted.get()) {
				throw new OutOfMemoryError("no thread");
			}
			processors.add(thread);
		}, 1);
		inTurn.execute(() -> ran.add("first"));
		inTurn.execute(() -> ran.add("second"));

		exhausted.set(true);
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> processors.remove().run());
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> inTurn.execute(() -> ran.add("third")));
		exhausted.set(false);
		inTurn.execute(() -> ran.add("fourth"));
		while (!processors.isEmpty()) {
			processors.remove().run();
		}

		assertThat(ran).startsWith("first").contains("second", "fourth");
	}

	@Test
	void runsEveryTaskHoweverManyThreadsAddThem() throws Exception {
		CountDownLatch ran = new CountDownLatch(20_000);
		try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
				ExecutorService clients = Executors.newFixedThreadPool(4)) {
			InTurn inTurn = new InTurn(threads, 2);
			for (int client = 0; client < 4; client++) {
				clients.execute(() -> {
					for (int i = 0; i < 5_000; i++) {
						inTurn.execute(ran::countDown);
					}
				});
			}

			assertThat(ran.await(Patience.ofSeconds(60).toMillis(), TimeUnit.MILLISECONDS)).isTrue();
		}
	}

}
