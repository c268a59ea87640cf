package dev.sluice.devservices;

import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

/** Starts each server when it is first requested. */
final class LazyDevServices implements DevServices {

	private static @Nullable DevServices shared;

	private final Infrastructure infrastructure;

	private final Lazy<KafkaCluster> kafka;

	private final Lazy<? extends PostgresService> postgres;

	<P extends Server & PostgresService> LazyDevServices(Infrastructure infrastructure, KafkaCluster kafka,
			P postgres) {
		this.infrastructure = infrastructure;
		this.kafka = new Lazy<>(kafka);
		this.postgres = new Lazy<>(postgres);
	}

	/** Creates the shared instance. If that fails, the next request tries again. */
	static synchronized DevServices shared() {
		DevServices services = shared;
		if (services == null) {
			services = DevServices.start(Infrastructure.fromEnvironment());
			Runtime.getRuntime().addShutdownHook(new Thread(services::close, "dev-services-close"));
			shared = services;
		}
		return services;
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
		try (Server _ = this.kafka.server; Server _ = this.postgres.server) {
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
