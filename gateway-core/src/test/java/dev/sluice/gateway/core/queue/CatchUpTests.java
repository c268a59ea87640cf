package dev.sluice.gateway.core.queue;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import dev.sluice.devservices.Patience;
import dev.sluice.gateway.core.queue.CatchUp.Round;
import dev.sluice.gateway.core.queue.RecentOrders.Reading;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class CatchUpTests {

	private static final Duration PATIENCE = Patience.ofSeconds(60);

	private static final Map<TopicPartition, Long> ENDS = Map.of(new TopicPartition("t", 0), 7L);

	private long nanos = -1;

	private final CatchUp catchUp = new CatchUp(() -> this.nanos);

	@Test
	void asksNothingForNobody() {
		assertThat(this.catchUp.isIdle()).isTrue();
		assertThat(this.catchUp.begin()).isNull();
		assertThat(this.catchUp.isAsking()).isFalse();
		assertThat(this.catchUp.ends()).isNull();
		assertThat(this.catchUp.takesLongerThan(Duration.ZERO)).isFalse();
	}

	@Test
	void sharesAQuestionUntilItIsSent() {
		CompletableFuture<Reading> first = this.catchUp.join();
		assertThat(this.catchUp.join()).isSameAs(first);
		assertThat(this.catchUp.isIdle()).isFalse();

		this.catchUp.begin();
		CompletableFuture<Reading> late = this.catchUp.join();
		this.catchUp.finish(Reading.CURRENT);

		assertThat(first).succeedsWithin(PATIENCE).isEqualTo(Reading.CURRENT);
		assertThat(late).isNotSameAs(first).isNotDone();
		assertThat(this.catchUp.isIdle()).isFalse();
	}

	@Test
	void asksOneQuestionAtATime() {
		this.catchUp.join();
		Round first = this.catchUp.begin();
		this.catchUp.join();

		assertThat(this.catchUp.begin()).isNull();
		assertThat(this.catchUp.isAsking(first)).isTrue();

		this.catchUp.finish(Reading.CURRENT);
		Round second = this.catchUp.begin();
		assertThat(second).isNotNull().isNotSameAs(first);
		assertThat(this.catchUp.isAsking(first)).isFalse();
		assertThat(this.catchUp.isAsking(second)).isTrue();
	}

	@Test
	void knowsTheEndsOfTheQuestionUnderWay() {
		this.catchUp.join();
		Round round = this.catchUp.begin();
		assertThat(this.catchUp.ends()).isNull();

		round.answer(ENDS);

		assertThat(this.catchUp.ends()).isEqualTo(ENDS);
		this.nanos += 5;
		assertThat(this.catchUp.takesLongerThan(Duration.ofNanos(5))).isFalse();
		assertThat(this.catchUp.takesLongerThan(Duration.ofNanos(4))).isTrue();
		this.catchUp.finish(Reading.BEHIND);
		assertThat(this.catchUp.ends()).isNull();
	}

	@Test
	void answersAllCallersWhenItGivesUp() {
		CompletableFuture<Reading> asked = this.catchUp.join();
		this.catchUp.begin();
		CompletableFuture<Reading> waiting = this.catchUp.join();

		this.catchUp.finishAll(Reading.UNREACHABLE);

		assertThat(asked).succeedsWithin(PATIENCE).isEqualTo(Reading.UNREACHABLE);
		assertThat(waiting).succeedsWithin(PATIENCE).isEqualTo(Reading.UNREACHABLE);
		assertThat(this.catchUp.isIdle()).isTrue();
	}

}
