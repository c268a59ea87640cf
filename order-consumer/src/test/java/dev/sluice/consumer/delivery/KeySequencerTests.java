package dev.sluice.consumer.delivery;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;

import dev.sluice.consumer.delivery.KeySequencer.Ticket;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class KeySequencerTests {

	private final KeySequencer sequencer = new KeySequencer();

	@Test
	void oneOfAKeyWaitsForTheOneBefore() throws Exception {
		Ticket first = take("a");
		Ticket second = take("a");
		Ticket third = take("a");
		assertThat(first.await()).isTrue();
		CompletableFuture<Boolean> begins = begin(second);
		CompletableFuture<Boolean> last = begin(third);
		assertThat(begins).isNotDone();

		first.release(true);

		assertThat(begins.get()).isTrue();
		assertThat(last).isNotDone();
		second.release(true);
		assertThat(last.get()).isTrue();
	}

	@Test
	void nobodyWaitsForAnotherKeyOrWithoutOne() throws Exception {
		take("a");

		assertThat(take("b").await()).isTrue();
		assertThat(this.sequencer.ticket(null).await()).isTrue();
		assertThat(this.sequencer.ticket(null).await()).isTrue();
	}

	@Test
	void noneOvertakesOneThatWasGivenUp() throws Exception {
		Ticket first = take("a");
		Ticket second = take("a");

		first.release(false);
		Ticket third = take("a");

		assertThat(second.await()).isFalse();
		second.release(false);
		assertThat(third.await()).isFalse();
		third.release(false);
		assertThat(take("a").await()).isFalse();
	}

	private Ticket take(String key) {
		return this.sequencer.ticket(key.getBytes(StandardCharsets.UTF_8));
	}

	private static CompletableFuture<Boolean> begin(Ticket turn) {
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
