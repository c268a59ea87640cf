package dev.sluice.devservices;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.testcontainers.containers.Network;

/**
 * Kafka and PostgreSQL for development and tests. Each starts when it is first requested.
 * If two threads request both, they start in parallel. Thread-safe.
 * <p>
 * The servers listen on the loopback interface only. Their data is deleted on
 * {@link #close}, unless a {@link Builder#directory directory} was set.
 */
public interface DevServices extends AutoCloseable {

	/**
	 * Maximum time for a server or a service to start. It bounds a hang only, because the
	 * end of a process is noticed immediately.
	 * @return three minutes, multiplied by {@link Patience}
	 */
	static Duration startTimeout() {
		return Patience.of(Duration.ofMinutes(3));
	}

	/**
	 * Resolves the infrastructure. Starts no server yet. The caller closes the result.
	 * @throws StartFailedException if containers are required and no engine answers
	 */
	static DevServices start(Infrastructure infrastructure) {
		return builder().infrastructure(infrastructure).start();
	}

	/**
	 * The instance that all tests of this JVM share. The environment variable
	 * {@value Infrastructure#VARIABLE} selects the infrastructure. The instance ends with
	 * the JVM, and tests must not close it.
	 */
	static DevServices shared() {
		return LazyDevServices.shared();
	}

	static Builder builder() {
		return new Builder();
	}

	/**
	 * Starts Kafka on the first call.
	 * @throws StartFailedException if it does not start
	 */
	KafkaService kafka();

	/**
	 * Starts PostgreSQL on the first call.
	 * @throws StartFailedException if it does not start
	 */
	PostgresService postgres();

	/**
	 * The infrastructure in use: {@code CONTAINERS} or {@code EMBEDDED}, never
	 * {@code AUTO}.
	 */
	Infrastructure infrastructure();

	/** Stops the servers, even one that another thread is starting. */
	@Override
	void close();

	/** Settings of {@link DevServices}. */
	final class Builder {

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
				case CONTAINERS -> new LazyDevServices(Infrastructure.CONTAINERS, containers(),
						new ContainerPostgres(this.postgresPort));
				case EMBEDDED -> new LazyDevServices(Infrastructure.EMBEDDED, new KafkaCluster(embedded()),
						new EmbeddedPostgres(this.postgresPort, this.directory));
				case AUTO -> throw new AssertionError("AUTO is not resolved");
			};
		}

		private KafkaCluster containers() {
			if (this.kafkaPorts.size() == 1) {
				return new KafkaCluster(List.of(new ContainerKafka(this.kafkaPorts.getFirst())));
			}
			Network network = Network.newNetwork();
			return new KafkaCluster(ContainerKafka.cluster(this.kafkaPorts, network), network::close);
		}

		private List<EmbeddedKafka> embedded() {
			return (this.kafkaPorts.size() == 1)
					? List.of(new EmbeddedKafka(this.kafkaPorts.getFirst(), this.directory))
					: EmbeddedKafka.cluster(this.kafkaPorts, this.directory);
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
