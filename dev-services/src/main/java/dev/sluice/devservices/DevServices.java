package dev.sluice.devservices;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

/**
 * Kafka and PostgreSQL for development and tests. Each starts when it is first requested.
 * If two threads request both, they start in parallel. Thread-safe.
 * <p>
 * The servers listen on the loopback interface only. Their data is deleted on
 * {@link #close}, unless a {@link Builder#directory directory} was set.
 */
public final class DevServices implements AutoCloseable {

	private static @Nullable DevServices shared;

	private final Infrastructure infrastructure;

	private final Lazy<KafkaService> kafka;

	private final Lazy<PostgresService> postgres;

	<P extends Server & PostgresService> DevServices(Infrastructure infrastructure, KafkaService kafka, P postgres) {
		this.infrastructure = infrastructure;
		this.kafka = new Lazy<>(kafka, kafka::start, kafka::close);
		this.postgres = new Lazy<>(postgres, postgres::start, postgres::close);
	}

	/**
	 * Maximum time for a server or a service to start. It bounds a hang only, because the
	 * end of a process is noticed immediately.
	 * @return three minutes, multiplied by {@link Patience}
	 */
	public static Duration startTimeout() {
		return Patience.of(Duration.ofMinutes(3));
	}

	/**
	 * Resolves the infrastructure. Starts no server yet. The caller closes the result.
	 * @throws StartFailedException if containers are required and no engine answers or
	 * has their images
	 */
	public static DevServices start(Infrastructure infrastructure) {
		return builder().infrastructure(infrastructure).start();
	}

	/**
	 * The instance that all tests of this JVM share. The environment variable
	 * {@value Infrastructure#VARIABLE} selects the infrastructure. The instance ends with
	 * the JVM, and tests must not close it. If it cannot be created, the next request
	 * tries again.
	 */
	public static synchronized DevServices shared() {
		DevServices services = shared;
		if (services == null) {
			services = start(Infrastructure.fromEnvironment());
			Runtime.getRuntime().addShutdownHook(new Thread(services::close, "dev-services-close"));
			shared = services;
		}
		return services;
	}

	public static Builder builder() {
		return new Builder();
	}

	/**
	 * Starts Kafka on the first call.
	 * @throws StartFailedException if it does not start
	 */
	public KafkaService kafka() {
		return this.kafka.started();
	}

	/**
	 * Starts PostgreSQL on the first call.
	 * @throws StartFailedException if it does not start
	 */
	public PostgresService postgres() {
		return this.postgres.started();
	}

	/**
	 * The infrastructure in use: {@code CONTAINERS} or {@code EMBEDDED}, never
	 * {@code AUTO}.
	 */
	public Infrastructure infrastructure() {
		return this.infrastructure;
	}

	/** Stops the servers, even one that another thread is starting. */
	@Override
	public void close() {
		try {
			this.kafka.close.run();
		}
		finally {
			this.postgres.close.run();
		}
	}

	/** A server that the first caller starts. Other callers wait for that. */
	private static final class Lazy<S> {

		private final ReentrantLock lock = new ReentrantLock();

		private final S server;

		private final Runnable start;

		private final Runnable close;

		private boolean started;

		Lazy(S server, Runnable start, Runnable close) {
			this.server = server;
			this.start = start;
			this.close = close;
		}

		S started() {
			this.lock.lock();
			try {
				if (!this.started) {
					this.start.run();
					this.started = true;
				}
				return this.server;
			}
			finally {
				this.lock.unlock();
			}
		}

	}

	/** Settings of {@link DevServices}. */
	public static final class Builder {

		private static final int CLUSTER = 3;

		private Infrastructure infrastructure = Infrastructure.AUTO;

		private List<Integer> kafkaPorts = List.of(0);

		private int postgresPort;

		private @Nullable Path directory;

		private Builder() {
		}

		/** Sets the infrastructure. Default {@code AUTO}. */
		public Builder infrastructure(Infrastructure value) {
			this.infrastructure = value;
			return this;
		}

		/**
		 * Sets the port of each broker, one or three; 0 picks a free port. Default: one
		 * broker. With three, a topic has three copies by default, one on each broker,
		 * and at least two brokers have each acknowledged record, so one broker may be
		 * lost.
		 */
		public Builder kafkaPorts(List<Integer> values) {
			if (values.size() != 1 && values.size() != CLUSTER) {
				throw new IllegalArgumentException("%s brokers: use 1 or %s".formatted(values.size(), CLUSTER));
			}
			this.kafkaPorts = List.copyOf(values);
			return this;
		}

		/** Sets PostgreSQL's port. 0, the default, picks a free one. */
		public Builder postgresPort(int value) {
			this.postgresPort = value;
			return this;
		}

		/**
		 * Sets where embedded servers keep data and logs ({@code kafka},
		 * {@code kafka.log}, {@code postgres}, {@code postgres.log}; with three brokers
		 * {@code kafka-1} and so on). Existing data is reused and kept on close. Default:
		 * a temporary directory, deleted on close. Containers keep nothing.
		 */
		public Builder directory(Path value) {
			this.directory = value.toAbsolutePath();
			return this;
		}

		/**
		 * Resolves the infrastructure. Starts no server yet.
		 * @throws StartFailedException if containers are required and no engine answers
		 */
		public DevServices start() {
			return switch (resolve()) {
				case CONTAINERS -> new DevServices(Infrastructure.CONTAINERS, ContainerKafka.cluster(this.kafkaPorts),
						new ContainerPostgres(this.postgresPort));
				case EMBEDDED ->
					new DevServices(Infrastructure.EMBEDDED, EmbeddedKafka.cluster(this.kafkaPorts, this.directory),
							new EmbeddedPostgres(this.postgresPort, this.directory));
				case AUTO -> throw new AssertionError("AUTO is not resolved");
			};
		}

		private Infrastructure resolve() {
			return switch (this.infrastructure) {
				case EMBEDDED -> Infrastructure.EMBEDDED;
				case CONTAINERS -> {
					DockerEngine.require();
					yield Infrastructure.CONTAINERS;
				}
				case AUTO -> DockerEngine.hasServers() ? Infrastructure.CONTAINERS : Infrastructure.EMBEDDED;
			};
		}

	}

}
