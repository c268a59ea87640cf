package dev.sluice.sink.store;

import java.util.concurrent.Semaphore;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Without a broker. */
class SinkTopicTests {

	private final FakeBrokers brokers = new FakeBrokers();

	private final SinkTopic topic = this.brokers.topic();

	@Test
	void isReadyOnceWhatWasKnownOfAnEarlierTopicIsForgotten() {
		Semaphore forgets = new Semaphore(0);
		this.topic.onNew(forgets::acquire);
		assertThat(this.topic.isRunning()).isFalse();
		assertThat(this.topic.state().ready()).isFalse();

		this.topic.start();
		try {
			await().until(forgets::hasQueuedThreads);
			assertThat(this.topic.isRunning()).isTrue();
			assertThat(this.topic.ready()).isFalse();
			forgets.release();
			await().until(this.topic::ready);
			assertThat(this.topic.state().ready()).isTrue();

			this.brokers.replaceTopic();
			await().until(forgets::hasQueuedThreads);
			assertThat(this.topic.ready()).isFalse();
			forgets.release();
			await().until(this.topic::ready);
		}
		finally {
			this.topic.stop();
		}
		assertThat(this.topic.isRunning()).isFalse();
		await().untilAsserted(() -> assertThat(this.brokers.closedAdmins).hasValue(1));
	}

}
