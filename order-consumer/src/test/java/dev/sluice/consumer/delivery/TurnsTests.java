package dev.sluice.consumer.delivery;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;

import dev.sluice.consumer.delivery.Turns.Turn;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(30)
class TurnsTests {

	private final Turns turns = new Turns();

	@Test
	void oneOfAKeyWaitsForTheOneBefore() throws Exception {
		Turn first = take("a");
		Turn second = take("a");
		Turn third = take("a");
		assertThat(first.await()).isTrue();
		CompletableFuture<Boolean> begins = begin(second);
		CompletableFuture<Boolean> last = begin(third);
		assertThat(begins).isNotDone();

		first.end(true);

		assertThat(begins.get()).isTrue();
		assertThat(last).isNotDone();
		second.end(true);
		assertThat(last.get()).isTrue();
	}

	@Test
	void nobodyWaitsForAnotherKeyOrWithoutOne() throws Exception {
		take("a");

		assertThat(take("b").await()).isTrue();
		assertThat(this.turns.take(null).await()).isTrue();
		assertThat(this.turns.take(null).await()).isTrue();
	}

	@Test
	void noneOvertakesOneThatWasGivenUp() throws Exception {
		Turn first = take("a");
		Turn second = take("a");

		first.end(false);
		Turn third = take("a");

		assertThat(second.await()).isFalse();
		second.end(false);
		assertThat(third.await()).isFalse();
		third.end(false);
		assertThat(take("a").await()).isFalse();
	}

	@Test
	void whatHasFinishedIsNotWaitedFor() throws Exception {
		Turn first = take("a");
		first.end(true);

		assertThat(take("a").await()).isTrue();
	}

	private Turn take(String key) {
		return this.turns.take(key.getBytes(StandardCharsets.UTF_8));
	}

	private static CompletableFuture<Boolean> begin(Turn turn) {
		CompletableFuture<Boolean> begun = new CompletableFuture<>();
		Thread.ofVirtual().start(() -> {
			try {
				begun.complete(turn.await());
			}
			catch (InterruptedException ex) {
				begun.completeExceptionally(ex);
			}
		});
		return begun;
	}

}
