package dev.sluice.devservices;

import java.util.concurrent.locks.ReentrantLock;

/**
 * Starts each server when it is first requested.
 *
 * @param <K> Kafka
 * @param <P> PostgreSQL
 */
final class LazyDevServices<K extends Server & KafkaService, P extends Server & PostgresService>
		implements DevServices {

	private final Infrastructure infrastructure;

	private final Lazy<K> kafka;

	private final Lazy<P> postgres;

	LazyDevServices(Infrastructure infrastructure, K kafka, P postgres) {
		this.infrastructure = infrastructure;
		this.kafka = new Lazy<>(kafka);
		this.postgres = new Lazy<>(postgres);
	}

	@Override
	public KafkaService kafka() {
		return this.kafka.started();
	}

	@Override
	public PostgresService postgres() {
		return this.postgres.started();
	}

	@Override
	public Infrastructure infrastructure() {
		return this.infrastructure;
	}

	@Override
	public void close() {
		try (K _ = this.kafka.server; P _ = this.postgres.server) {
			// Closes both, even if one of them throws.
		}
	}

	/** A server that the first caller starts. Other callers wait for that. */
	private static final class Lazy<S extends Server> {

		private final ReentrantLock lock = new ReentrantLock();

		private final S server;

		private boolean started;

		Lazy(S server) {
			this.server = server;
		}

		S started() {
			this.lock.lock();
			try {
				if (!this.started) {
					this.server.start();
					this.started = true;
				}
				return this.server;
			}
			finally {
				this.lock.unlock();
			}
		}

	}

}
