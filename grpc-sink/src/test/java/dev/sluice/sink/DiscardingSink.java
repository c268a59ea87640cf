package dev.sluice.sink;

import dev.sluice.sink.store.MessageStore;

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
			return new MemoryStore(false);
		}

	}

}
