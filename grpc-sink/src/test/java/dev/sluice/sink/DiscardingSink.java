package dev.sluice.sink;

import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import dev.sluice.sink.format.Content;
import dev.sluice.sink.store.MessageStore;
import dev.sluice.sink.store.OnceStore;

import org.springframework.boot.SpringApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;

/** The sink with a storage that keeps nothing, to measure its own memory. */
public final class DiscardingSink {

	private DiscardingSink() {
	}

	public static void main(String[] args) {
		new SpringApplication(SinkApplication.class, Storage.class).run(args);
	}

	/** Without an annotation, so that no other test finds it. */
	static class Storage {

		@Bean
		@Primary
		MessageStore discardingStore() {
			return new MessageStore() {

				@Override
				public CompletableFuture<Void> store(Content content) {
					return CompletableFuture.completedFuture(null);
				}

				@Override
				public void store(List<Placed> messages, Completion completion) {
					completion.done(0,
							Collections.nCopies(messages.size(), new Completed(OnceStore.Outcome.STORED, null)));
				}

				@Override
				public boolean ready() {
					return true;
				}

			};
		}

	}

}
