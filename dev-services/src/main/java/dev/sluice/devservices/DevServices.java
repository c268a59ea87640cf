package dev.sluice.devservices;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * Kafka and PostgreSQL for development and tests. Each starts when it is first requested.
 * If two threads request both, they start in parallel. Thread-safe.
 * <p>
 * The servers listen on the loopback interface only. Their data is deleted on
 * {@link #close}.
 */
public final class DevServices implements AutoCloseable {

	private static final int CLUSTER = 3;

	private static @Nullable DevServices shared;

	private final Infrastructure infrastructure;

	private final Lazy<KafkaService> kafka;

	private final Lazy<PostgresService> postgres;

	DevServices(Infrastructure infrastructure, Supplier<KafkaService> kafka, Supplier<PostgresService> postgres) {
		this.infrastructure = infrastructure;
		this.kafka = new Lazy<>(kafka);
		this.postgres = new Lazy<>(postgres);
	}

	/**
	 * Maximum time for a server or a service to start. It bounds a hang only, because the
	 * end of a process is noticed immediately.
	 * @return three minutes, multiplied by {@link Patience}
	 */
	public static Duration startTimeout() {
		return Patience.of(Duration.ofMinutes(3));
	}

	/** With one broker, on free ports. */
	public static DevServices start(Infrastructure infrastructure) {
		return start(infrastructure, List.of(0), 0);
	}

	/**
	 * Resolves the infrastructure. Starts no server yet. The caller closes the result.
	 * With three brokers, a topic has three copies by default, one on each, and at least
	 * two brokers have each acknowledged record, so one broker may be lost.
	 * @param kafkaPorts the port of each broker, one or three; 0 picks a free one
	 * @param postgresPort 0 picks a free one
	 * @throws StartFailedException if containers are required and no engine answers or
	 * has their images
	 */
	public static DevServices start(Infrastructure infrastructure, List<Integer> kafkaPorts, int postgresPort) {
		if (kafkaPorts.size() != 1 && kafkaPorts.size() != CLUSTER) {
			throw new IllegalArgumentException("%s brokers: use 1 or %s".formatted(kafkaPorts.size(), CLUSTER));
		}
		boolean containers = infrastructure != Infrastructure.EMBEDDED;
		if (containers) {
			Optional<String> problem = DockerEngine.problem();
			if (infrastructure == Infrastructure.CONTAINERS && problem.isPresent()) {
				throw new StartFailedException("containers are required, but %s: mend that, or set %s=embedded"
					.formatted(problem.get(), Infrastructure.VARIABLE));
			}
			containers = problem.isEmpty();
		}
		Supplier<List<Integer>> brokers = () -> kafkaPorts.stream().map(Ports::orFree).toList();
		if (containers) {
			return new DevServices(Infrastructure.CONTAINERS, () -> Containers.kafka(brokers.get()),
					() -> Containers.postgres(Ports.orFree(postgresPort)));
		}
		return new DevServices(Infrastructure.EMBEDDED, () -> EmbeddedKafka.cluster(brokers.get()), () -> {
			int port = Ports.orFree(postgresPort);
			return new PostgresService("127.0.0.1", port, EmbeddedPostgres.server(port));
		});
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
		try (this.postgres) {
			this.kafka.close();
		}
	}

	/**
	 * Servers that the first caller starts. Other callers wait for that. If they do not
	 * start, the next caller gets others.
	 */
	private static final class Lazy<S extends Servers> implements AutoCloseable {

		private final Supplier<S> create;

		/** Start, or have started; null before, and after a failure. */
		private volatile @Nullable S servers;

		private volatile boolean closed;

		Lazy(Supplier<S> create) {
			this.create = create;
		}

		synchronized S started() {
			S existing = this.servers;
			if (existing != null) {
				return existing;
			}
			S created = this.create.get();
			this.servers = created;
			try {
				if (this.closed) {
					throw new StartFailedException("The servers are closed");
				}
				created.start();
				return created;
			}
			catch (RuntimeException ex) {
				try (created) {
					throw ex;
				}
				finally {
					this.servers = null;
				}
			}
		}

		/** Even while another thread starts them. */
		@Override
		public void close() {
			this.closed = true;
			S existing = this.servers;
			if (existing != null) {
				existing.close();
			}
		}

	}

}
