package dev.sluice.lab.kit.measure;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class SavedSamplerTests {

	private final AtomicInteger asked = new AtomicInteger();

	@Test
	void givesWhatWasSavedInEachSecond() {
		assertThat(SavedSampler.perSecond(List.of(3L, 3L, 10L))).containsExactly(3, 0, 7);
	}

	@Test
	void countsWhatWasSavedWithoutAnAnswerInTheNextSecondThatHasOne() {
		assertThat(SavedSampler.perSecond(List.of(SavedSampler.UNKNOWN, 5L, SavedSampler.UNKNOWN, 9L)))
			.containsExactly(null, 5, null, 4);
	}

	@Test
	void keepsTheLastCountOfASecond() {
		SavedSampler sampler = new SavedSampler(() -> this.asked.incrementAndGet() * 10L, now());
		await().until(() -> this.asked.get() >= 3);
		sampler.close();

		List<Integer> saved = sampler.perSecond();

		assertThat(saved.stream().filter((count) -> count != null).mapToInt(Integer::intValue).sum())
			.isEqualTo(this.asked.get() * 10);
		assertThat(sampler.failure()).isNull();
	}

	@Test
	void keepsACountWhenTheBackendDoesNotAnswerAnyMore() {
		SavedSampler sampler = new SavedSampler(() -> (this.asked.incrementAndGet() == 1) ? 7 : SavedSampler.UNKNOWN,
				now());
		await().until(() -> this.asked.get() >= 3);
		sampler.close();

		assertThat(sampler.perSecond()).contains(7);
		assertThat(sampler.failure()).isNull();
	}

	/** The load began a while ago. */
	@Test
	void knowsNothingOfTheSecondsBeforeItsFirstAnswer() {
		SavedSampler sampler = new SavedSampler(() -> this.asked.incrementAndGet(),
				now() - TimeUnit.SECONDS.toNanos(100));
		await().until(() -> this.asked.get() >= 1);
		sampler.close();

		List<Integer> saved = sampler.perSecond();

		assertThat(saved).hasSizeGreaterThanOrEqualTo(101);
		assertThat(saved.subList(0, 100)).containsOnlyNulls();
	}

	@Test
	void saysWhyItFailedFirstAndGoesOn() {
		SavedSampler sampler = new SavedSampler(() -> {
			throw new IllegalStateException("failure " + this.asked.incrementAndGet());
		}, now());
		await().until(() -> this.asked.get() >= 3);
		sampler.close();

		assertThat(sampler.failure()).contains("failure 1");
		assertThat(sampler.perSecond()).containsOnlyNulls();
	}

	/** The question has its own deadline; the interrupt is the caller's to see. */
	@Test
	void anInterruptOfItsCloseStays() {
		CountDownLatch answer = new CountDownLatch(1);
		SavedSampler sampler = new SavedSampler(() -> {
			this.asked.incrementAndGet();
			while (answer.getCount() > 0) {
				Thread.onSpinWait();
			}
			return 1;
		}, now());
		await().until(() -> this.asked.get() == 1);
		Thread closing = Thread.currentThread();
		Thread.ofVirtual().start(() -> {
			await().until(() -> closing.getState() == Thread.State.WAITING);
			answer.countDown();
		});

		closing.interrupt();
		sampler.close();

		assertThat(Thread.interrupted()).isTrue();
		assertThat(sampler.perSecond()).isNotEmpty();
	}

	private static long now() {
		return System.nanoTime();
	}

}
